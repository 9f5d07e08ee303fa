"""Tests of the screen: the transcript without one, the widgets, the screens as pictures, a whole journey."""
