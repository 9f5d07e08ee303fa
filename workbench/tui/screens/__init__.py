"""What arranges: each screen lays widgets out and turns keys into calls of the desk."""
