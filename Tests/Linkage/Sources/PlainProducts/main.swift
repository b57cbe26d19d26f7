import InklingEngine
import InklingKeys
import InklingNode
import InklingSession

precondition(keyByteCount == 32)
