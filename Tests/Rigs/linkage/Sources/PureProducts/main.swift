import Inkling

precondition(keyByteCount == 32)
