"""Any agent that speaks the Agent Client Protocol, its requests answered by the surface."""
