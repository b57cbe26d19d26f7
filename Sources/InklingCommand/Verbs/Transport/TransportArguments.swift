public import ArgumentParser
internal import InklingEngine
public import InklingPlatforms

// Named values are written on the command line as in the specifications.
extension Transport: ExpressibleByArgument {}
extension TransportRelation: ExpressibleByArgument {}
extension TransportPurpose: ExpressibleByArgument {}
extension ProfileRow: ExpressibleByArgument {}
extension ProfileSubject: ExpressibleByArgument {}
