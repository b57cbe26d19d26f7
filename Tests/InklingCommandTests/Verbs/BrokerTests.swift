import InklingProgramTesting
import InklingTesting
import Testing

@testable import InklingCommand

#if Node
    @Suite(.runsPrograms) struct `inkling run --mqtt` {
        @Test(arguments: ["broker", "http://broker", "mqtt://user:word@broker", "mqtt://broker:0"])
        func `another address than that of a broker is refused, and not repeated`(address: String) throws {
            let outcome = try Program.run("run", "--mqtt", address)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains("--mqtt must be mqtt://HOST[:PORT] or mqtts://HOST[:PORT]"))
            #expect(!outcome.errors.contains("word@"))
        }

        @Test func `a password needs a user name, and a file of its own that nobody else may read`() throws {
            let folder = try Folder()
            let ada = try Home("Ada", in: folder)
            let open = try folder.write("open", Array("word\n".utf8), mode: 0o644)
            let empty = try folder.write("empty", Array("\nword\n".utf8), mode: 0o600)
            let long = try folder.write("long", [UInt8](repeating: 0x61, count: 1025), mode: 0o600)
            let zero = try folder.write("zero", Array("wo\0rd\n".utf8), mode: 0o600)
            #expect(try ada.run("run", "--mqtt", "mqtt://127.0.0.1", "--mqtt-password-file", empty).status == 64)
            let cases = [
                (open, Int32(77), "lets other users in"), (empty, 65, "1 to 1024 bytes"), (long, 65, "1 to 1024 bytes"),
                (zero, 65, "none of them zero"), ("\(folder.path)/none", 78, "there is no password for the broker"),
            ]
            for (file, status, text) in cases {
                let outcome = try ada.run(
                    "run", "--bluetooth", "off", "--mqtt", "mqtt://127.0.0.1", "--mqtt-user", "a",
                    "--mqtt-password-file", file)
                #expect(outcome.status == status, "\(file): \(outcome)")
                #expect(outcome.errors.contains(text), "\(file): \(outcome)")
            }
        }

        @Test func `an antenna at a broker needs a broker`() throws {
            let folder = try Folder()
            let ada = try Home("Ada", in: folder)
            let text = "[[antennas]]\nname = \"house\"\nespresense = \"espresense\"\n"
            let config = try folder.write("inkling.toml", Array(text.utf8))
            let outcome = try ada.run("run", "--bluetooth", "off", "--config", config)
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("the antenna 'house' needs an MQTT broker"), "\(outcome)")
        }

        @Test func `certificates for a broker without TLS are refused`() throws {
            let folder = try Folder()
            let ada = try Home("Ada", in: folder)
            let outcome = try ada.run(
                "run", "--bluetooth", "off", "--mqtt", "mqtt://127.0.0.1", "--mqtt-ca-file", "ca.pem")
            #expect(outcome.status == 78)
            #expect(outcome.errors.contains("mqtt://127.0.0.1:1883 has no TLS"))
        }
    }
#endif
