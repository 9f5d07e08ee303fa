"""The workbench without a screen: the one façade both front ends use."""
