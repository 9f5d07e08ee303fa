"""The screen: the app wires, screens arrange, widgets draw."""
