// One import for what only computes. InklingNode is left out: it owns files, tasks and a clock, which a Linux node
// wants and an app that has a loop of its own does not.
@_exported public import InklingEngine
@_exported public import InklingKeys
@_exported public import InklingSession
