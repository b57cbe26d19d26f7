import Inkling
import InklingNode
import InklingPlatforms
import InklingSimulation

precondition(Epoch.seconds == 900)
