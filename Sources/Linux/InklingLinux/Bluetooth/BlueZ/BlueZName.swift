#if Node
    internal import Glibc
    internal import InklingNode

    /// The D-Bus names of `bluetoothd`.
    enum BlueZName {
        static let service = "org.bluez"
        static let adapter = "org.bluez.Adapter1"
        static let device = "org.bluez.Device1"
        static let advertisement = "org.bluez.LEAdvertisement1"
        static let advertising = "org.bluez.LEAdvertisingManager1"
        static let monitor = "org.bluez.AdvertisementMonitor1"
        static let monitoring = "org.bluez.AdvertisementMonitorManager1"
        static let gattManager = "org.bluez.GattManager1"
        static let gattService = "org.bluez.GattService1"
        static let gattCharacteristic = "org.bluez.GattCharacteristic1"

        static let doesNotExist = "org.bluez.Error.DoesNotExist"
        static let failed = "org.bluez.Error.Failed"
        static let notReady = "org.bluez.Error.NotReady"
        static let notPermitted = "org.bluez.Error.NotPermitted"
        static let notAuthorized = "org.bluez.Error.NotAuthorized"
        static let alreadyExists = "org.bluez.Error.AlreadyExists"
        /// BlueZ turns this into ATT error 0x06.
        static let notSupported = "org.bluez.Error.NotSupported"
    }

    extension BusError {
        /// The reason why Bluetooth cannot be used, after a failed call to `bluetoothd`.
        var radioError: RadioError {
            switch self {
            case .unreachable(code: EACCES), .unreachable(code: EPERM): .notPermitted
            case .unreachable(let code): .bus(code: code)
            case .closed: .bus(code: ENOTCONN)
            case .noReply: .noReply
            case .refused(name: BlueZName.notReady): .poweredOff
            case .refused(let name) where isWithoutPermission(name): .notPermitted
            case .refused(let name) where isAbsence: name == BusErrorName.unknownObject ? .noAdapter : .noDaemon
            case .refused, .wrongSignature, .tooLarge, .invalidArgument: .refused
            }
        }

        /// Whether the service or its object does not exist.
        var isAbsence: Bool {
            guard case .refused(let name) = self else { return false }
            return name == BusErrorName.serviceUnknown || name == BusErrorName.nameHasNoOwner
                || name == BusErrorName.unknownObject || name.hasPrefix("org.freedesktop.DBus.Error.Spawn.")
                || name.hasPrefix("org.freedesktop.systemd1.")
        }

        private func isWithoutPermission(_ name: String) -> Bool {
            [BusErrorName.accessDenied, BlueZName.notPermitted, BlueZName.notAuthorized].contains(name)
        }
    }
#endif
