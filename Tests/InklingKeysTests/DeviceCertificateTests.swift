import InklingTesting
import Testing

@testable import InklingKeys

/// The offsets of the fields in a certificate.
private enum Place {
    static let index = 0, key = 1, from = 33, to = 37, flags = 41, signature = 42
}

@Suite struct `A device certificate` {
    private let person = Person(1)

    private func encoded(_ certificate: DeviceCertificate) -> [UInt8] {
        var bytes: [UInt8] = []
        certificate.append(to: &bytes)
        return bytes
    }

    /// Returns the certificate with changed bytes and a new, valid signature.
    private func changed(_ certificate: DeviceCertificate, at place: Int, to bytes: [UInt8]) -> [UInt8] {
        let body = [UInt8](encoded(certificate).replacing(at: place, with: bytes).prefix(Place.signature))
        var message = Array("inkling/1 device-cert".utf8) + [0]
        message.append(person.identity.publicKey)
        message += body
        return body + person.identity.sign(message.span)
    }

    private func read(
        _ bytes: [UInt8], bitmap: UInt16 = 1, presence: Octets32? = nil, now: UInt32 = examplePeriod
    ) throws -> [DeviceCertificate] {
        try DeviceCertificate.list(
            parsing: bytes.span, bitmap: bitmap, issuer: person.identity.publicKey, presence: presence,
            now: try period(now))
    }

    @Test func `survives encoding and parsing`() throws {
        let list = [
            try person.certificate(0), try person.certificate(3, isPrimary: false),
            try person.certificate(15, to: examplePeriod, isPrimary: false),
        ]
        let bytes = list.flatMap(encoded)
        #expect(bytes.count == 3 * DeviceCertificate.byteCount)
        #expect(try read(bytes, bitmap: DeviceCertificate.bitmap(of: list)) == list)
        #expect(DeviceCertificate.bitmap(of: list) == 0b1000_0000_0000_1001)
    }

    /// Covers INK-CRD-020.
    @Test func `is valid from its first to its last period`() throws {
        let certificate = try person.certificate(to: examplePeriod + 10)
        for (number, isValid) in [
            (examplePeriod - 1, false), (examplePeriod, true), (examplePeriod + 10, true), (examplePeriod + 11, false),
        ] {
            #expect(certificate.isValid(in: try period(number)) == isValid)
        }
    }

    /// Covers INK-CRD-004.
    @Test func `is not created with periods that readers would refuse`() throws {
        #expect(throws: CertificateError.interval) { try person.certificate(to: examplePeriod - 1) }
        #expect(throws: CertificateError.interval) { try person.certificate(to: examplePeriod + 8928) }
        #expect(try person.certificate(to: examplePeriod + 8927).to.number == examplePeriod + 8927)
    }

    @Test(arguments: [(lowOrderPoints, CertificateError.lowOrderKey), (nonCanonicalPoints, .nonCanonicalKey)])
    func `is neither created nor parsed with an invalid key`(points: [String], error: CertificateError) throws {
        let good = try person.certificate()
        for point in points {
            let key = try octets32(point)
            #expect(throws: error) {
                try DeviceCertificate(
                    index: .first, key: key, from: good.from, to: good.to, isPrimary: true, signedBy: person.identity)
            }
            #expect(throws: error) { try read(changed(good, at: Place.key, to: bytes(point))) }
        }
    }

    @Test func `is refused for each error despite a valid signature`() throws {
        let good = try person.certificate()
        func refusal(_ place: Int, _ bytes: [UInt8]) -> CertificateError? {
            do throws {
                _ = try read(changed(good, at: place, to: bytes))
                return nil
            } catch {
                return error as? CertificateError
            }
        }
        #expect(refusal(Place.index, [0]) == nil)
        #expect(refusal(Place.index, [1]) == .deviceIndex)
        #expect(refusal(Place.index, [16]) == .deviceIndex)
        #expect(refusal(Place.from, [0xff, 0xff, 0xff, 0xff]) == .interval)
        #expect(refusal(Place.to, [0, 0x10, 0, 0]) == .interval)
        #expect(refusal(Place.to, [0xff, 0xff, 0xff, 0xff]) == .interval)
        #expect(refusal(Place.to, [0, 0, 0, 1]) == .interval)
        for flag in 1..<8 { #expect(refusal(Place.flags, [1 << flag]) == .reservedFlag) }
        #expect(throws: CertificateError.invalidSignature) {
            try read(encoded(good).replacing(at: Place.signature, with: [encoded(good)[Place.signature] ^ 1]))
        }
        #expect(throws: CertificateError.invalidSignature) { try read(encoded(Person(2).certificate())) }
    }

    /// Covers INK-CRD-005.
    @Test func `is refused in a list with a duplicate key, a missing certificate or two primary devices`() throws {
        let first = try person.certificate(0)
        #expect(throws: CertificateError.emptyBitmap) { try read([], bitmap: 0) }
        #expect(throws: CertificateError.deviceIndex) { try read([], bitmap: 1) }
        #expect(throws: CertificateError.twoPrimaries) {
            try read(encoded(first) + encoded(person.certificate(1)), bitmap: 3)
        }
        let sameKey = try DeviceCertificate(
            index: try unwrap(DeviceIndex(1)), key: first.key, from: first.from, to: first.to, isPrimary: false,
            signedBy: person.identity)
        #expect(throws: CertificateError.duplicateKey) { try read(encoded(first) + encoded(sameKey), bitmap: 3) }
        #expect(throws: CertificateError.duplicateKey) { try read(encoded(first), presence: first.key) }
        #expect(try read(encoded(first), presence: person.presence.publicKey) == [first])
    }

    @Test func `can have ended while another in the list has not`() throws {
        let ended = try person.certificate(0, to: examplePeriod)
        let current = try person.certificate(1, to: examplePeriod + 1, isPrimary: false)
        let bytes = encoded(ended) + encoded(current)
        #expect(try read(bytes, bitmap: 3, now: examplePeriod + 1).count == 2)
        #expect(throws: CertificateError.allEnded) { try read(bytes, bitmap: 3, now: examplePeriod + 2) }
    }
}
