import InklingEngine
import InklingKeys
import InklingSession

precondition(keyByteCount == 32)
