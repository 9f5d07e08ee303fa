"""The transcript without a widget: blocks built from turns, laid out in rows at any width."""
