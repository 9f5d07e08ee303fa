"""Workbench: what does your coding agent actually know from the guidance you wrote for it?"""

__version__ = "0.1.0"
