import Testing

@testable import SternaTestSupport
@testable import SternaTransport

/// SHA-512/256 against the examples of FIPS 180-4 and against OpenSSL's values at every edge of the padding.
@Suite("Digest: hashes")
struct SHA512Truncated256Tests {
    @Test("The examples of FIPS 180-4: one block, two blocks, nothing, a million letters")
    func standard() {
        let twoBlocks =
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
            + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
        let cases = [
            ("abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
            (twoBlocks, "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"),
            ("", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
            (
                String(repeating: "a", count: 1_000_000),
                "9a59a052930187a97038cae692f30708aa6491923ef5194394dc68d56c74fb21"
            ),
        ]
        for (text, expected) in cases {
            expectEqual(DigestHash.sha512Truncated.hex(text), expected, "\(text.prefix(16))")
        }
    }

    @Test(
        "Lengths around the ends of blocks",
        arguments: [
            (0, "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
            (1, "455e518824bc0601f9fb858ff5c37d417d67c2f8e0df2babe4808858aea830f8"),
            (111, "0239e429f98d0ed61ee8e2a7c30afe98c1c3a80ce5dff62a107e9c538f7632ce"),
            (112, "9216b5303edb66504570bee90e48ea5beaa5e9fe9f760bbd3e0460559fc005f6"),
            (113, "d0ac79bea5bc97ac80c77c7cbbe92811ba9997eb0ce3c9888f9cef8362d187cd"),
            (119, "6cb452f832033489de69b49d6a8e8a1e0018092f1986c132287f4ca4ab3ee545"),
            (120, "2e6ca4d879d367d7708701ed2e448540d04a6b8fcd2b0806278cf36090b9ba2b"),
            (127, "2fe3b2a6ee7e12f6fe4ba82166541ad9b4ed882c493581cbe300d68f3757b778"),
            (128, "b88f97e274f9c1d49f181c8cbd01a9c74930ad055a46ac4499a1d601f1c80bf2"),
            (129, "fb9035c9009ed4a60e37510339ebdb1c771339f30aa581d5dea3690a524c23f1"),
            (239, "78d0a1b37aaad84c89fff13cbe3cd3d1025bcdb648268f9102b7e7032bea7d2a"),
            (240, "d48a4d53397b38ab4e771d781c98ac6b86712dff2a664cfd1f27c7ca40f8ce37"),
            (241, "6739ebec9bf0b71e1bca21f09cbb5b879e5169121892d798651a900f1a5766ac"),
            (255, "3c07343720a65d00043af3a6514586dde8602a68b7cebde6bd8ffa48ba37afef"),
            (256, "d43f85191c3058fd3b2383077f8e1aa800aae7fdf6eb829440fa45f189562c07"),
            (257, "88fe9d7dcf7e09156c967a23affc3c70e11130f8d73bcd5dac8f03b72f0c9974"),
            (1000, "40eb4a70d4d69815407a9e272f0101cd67e3d11262a4a0bfc087712749c7fb53"),
        ] as [(Int, String)])
    func lengths(count: Int, expected: String) {
        let bytes = [UInt8](repeating: 0x61, count: count)
        expectEqual(DigestHash.hex(DigestHash.sha512Truncated.hash(bytes)), expected)
        for size in [1, 7, 64, 127, 128, 129, 300] {
            var function = DigestFunction(.sha512Truncated)
            for start in stride(from: 0, to: count, by: size) {
                function.update(Array(bytes[start..<min(start + size, count)]))
            }
            // Finishing does not change the function.
            expectEqual(DigestHash.hex(function.finish()), expected, "in pieces of \(size)")
            expectEqual(DigestHash.hex(function.finish()), expected, "in pieces of \(size), again")
        }
    }

    @Test(
        "The other algorithms",
        arguments: [
            (DigestHash.md5, "900150983cd24fb0d6963f7d28e17f72"),
            (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                .sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
        ] as [(DigestHash, String)])
    func others(algorithm: DigestHash, expected: String) {
        expectEqual(algorithm.hex("abc"), expected)
    }

    @Test("The order of strength, and names in any case")
    func order() {
        expectEqual(DigestHash.allCases.sorted(), DigestHash.allCases)
        expectEqual(DigestHash.allCases.map(\.strength), Array(0..<DigestHash.allCases.count))
        for algorithm in DigestHash.allCases {
            expectEqual(DigestHash(token: algorithm.rawValue.lowercased()), algorithm)
            expectEqual(DigestHash(token: algorithm.rawValue.uppercased()), algorithm)
        }
        for name in ["", "SHA", "SHA-1", "MD5 ", "SHA-512/256", "SHA-512-sess", "MD5-sess,MD5"] {
            expectNil(DigestHash(token: name), "\(name)")
        }
    }
}
