import Inkling
import InklingNode
import InklingPlatforms
import InklingSimulation

precondition(keyByteCount == 32)
