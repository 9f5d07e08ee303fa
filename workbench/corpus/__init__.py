"""What is asked: audits and sections, loaded with positions, selected, and given status comments as text."""
