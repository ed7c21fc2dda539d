// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP2: Target.Dependency = .product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioHPACK: Target.Dependency = .product(name: "NIOHPACK", package: "swift-nio-http2")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let structuredFields: Target.Dependency = .product(
    name: "RawStructuredFieldValues", package: "swift-http-structured-headers")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "_CryptoExtras", package: "swift-crypto")
let orderedCollections: Target.Dependency = .product(name: "OrderedCollections", package: "swift-collections")
let dequeModule: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "sterna",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Sterna", targets: ["Sterna"]),
        .library(name: "SternaXML", targets: ["SternaXML"]),
        .library(name: "SternaS3", targets: ["SternaS3"]),
        .library(name: "SternaTransfers", targets: ["SternaTransfers"]),
        .library(name: "SternaImages", targets: ["SternaImages"]),
        .library(name: "SternaURLRequest", targets: ["SternaURLRequest"]),
        .library(name: "SternaTesting", targets: ["SternaTesting"]),
        .executable(name: "tern", targets: ["TernCLI"]),
    ],
    traits: [
        .trait(
            name: "Foundation",
            description:
                "Foundation's transliteration, bundles, input streams and progress; without it, FoundationEssentials is enough."
        ),
        .default(enabledTraits: ["Foundation"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "CSternaZlib", linkerSettings: [.linkedLibrary("z")]),
        .target(name: "CSternaNetlink"),
        .target(name: "SternaPlatform", swiftSettings: strict),
        .target(name: "SternaCore", dependencies: ["SternaPlatform", httpTypes, nioCore], swiftSettings: strict),
        .target(
            name: "SternaSerialization",
            dependencies: ["SternaPlatform", "SternaCore", "CSternaZlib", httpTypes, nioCore, orderedCollections],
            swiftSettings: strict),
        .target(
            name: "SternaSecurity",
            dependencies: ["SternaPlatform", "SternaCore", x509, asn1, crypto, cryptoExtras, nioSSL, logging],
            swiftSettings: strict),
        .target(
            name: "SternaTransport",
            dependencies: [
                "SternaPlatform", "SternaCore", "SternaSecurity", httpTypes, nioCore, nioPosix, nioTLS, nioSSL,
                nioHTTP2, nioHPACK, dequeModule, crypto,
            ],
            swiftSettings: strict),
        .target(
            name: "Sterna",
            dependencies: [
                "SternaPlatform", "SternaCore", "SternaSerialization", "SternaSecurity", "SternaTransport",
                "CSternaNetlink", httpTypes, structuredFields, nioCore, nioPosix, logging, crypto,
            ],
            swiftSettings: strict),
        .target(name: "SternaURLRequest", dependencies: ["Sterna", "SternaCore", httpTypes], swiftSettings: strict),
        .target(name: "SternaXML", dependencies: ["Sterna", nioCore, httpTypes], swiftSettings: strict),
        .target(
            name: "SternaS3",
            dependencies: ["SternaPlatform", "Sterna", "SternaTransfers", nioCore, httpTypes, crypto],
            swiftSettings: strict),
        .target(
            name: "SternaTransfers",
            dependencies: [
                "SternaPlatform", "Sterna", "SternaCore", "SternaSerialization", nioCore, httpTypes, structuredFields,
                crypto, dequeModule,
            ],
            swiftSettings: strict),
        .target(
            name: "SternaImages", dependencies: ["SternaPlatform", "Sterna", "SternaCore", nioCore, httpTypes],
            swiftSettings: strict),
        .target(
            name: "SternaTesting",
            dependencies: [
                "SternaPlatform", "Sterna", httpTypes, nioCore, nioPosix, nioHTTP1, nioHTTP2, nioHPACK, nioTLS, nioSSL,
                x509, asn1, crypto, orderedCollections,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "TernCLI",
            dependencies: [
                "SternaPlatform", "Sterna", "SternaS3", "SternaTransfers", "SternaTesting", nioCore, httpTypes,
                argumentParser,
            ],
            swiftSettings: strict),
        // All tests are one program, so that what this sets holds for all of them.
        .target(name: "CTestWidth", path: "Tests/CTestWidth"),
        .target(
            name: "MutationKit", dependencies: ["SternaPlatform"], path: "Tests/MutationKit", swiftSettings: strict),
        .testTarget(
            name: "SternaCoreTests",
            dependencies: ["SternaPlatform", "SternaCore", "CTestWidth", "MutationKit", httpTypes, nioCore],
            swiftSettings: strict),
        .testTarget(
            name: "SternaSerializationTests",
            dependencies: [
                "SternaPlatform", "SternaSerialization", "SternaCore", "CSternaZlib", "MutationKit", nioCore, httpTypes,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SternaSecurityTests",
            dependencies: ["SternaPlatform", "SternaSecurity", "SternaTesting", "MutationKit", x509, asn1, crypto],
            swiftSettings: strict),
        .testTarget(
            name: "SternaTransportTests",
            dependencies: [
                "SternaPlatform", "SternaTransport", "Sterna", "SternaTesting", "CSternaZlib", "MutationKit", nioCore,
                nioEmbedded,
                nioPosix, nioHTTP2, nioHPACK, nioSSL, httpTypes,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SternaTests",
            dependencies: [
                "SternaPlatform", "Sterna", "SternaCore", "SternaSerialization", "SternaTesting", "MutationKit",
                "CSternaZlib",
                nioCore, nioPosix,
                httpTypes,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SternaURLRequestTests",
            dependencies: ["SternaURLRequest", "Sterna", "SternaTesting", nioCore, httpTypes],
            swiftSettings: strict),
        .testTarget(
            name: "SternaXMLTests",
            dependencies: ["SternaPlatform", "SternaXML", "SternaTesting", "MutationKit", nioCore, httpTypes],
            swiftSettings: strict),
        .testTarget(
            name: "SternaS3Tests",
            dependencies: [
                "SternaPlatform", "SternaS3", "SternaTransfers", "Sterna", "SternaTesting", "MutationKit", nioCore,
                httpTypes,
                crypto,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SternaTransfersTests",
            dependencies: [
                "SternaPlatform", "SternaTransfers", "Sterna", "SternaCore", "SternaTesting", "MutationKit", nioCore,
                httpTypes,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SternaImagesTests",
            dependencies: [
                "SternaPlatform", "SternaImages", "Sterna", "SternaCore", "SternaTesting", "MutationKit", nioCore,
                httpTypes,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SternaInteropTests",
            dependencies: [
                "SternaPlatform", "Sterna", "SternaCore", "SternaS3", "SternaTransfers", "SternaTesting", httpTypes,
                nioCore, nioPosix,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SternaTestingTests",
            dependencies: [
                "SternaPlatform", "SternaTesting", "MutationKit", nioCore, nioPosix, nioHTTP2, nioHPACK, nioSSL, x509,
                asn1,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "TernCLITests",
            dependencies: [
                "SternaPlatform", "TernCLI", "Sterna", "SternaCore", "SternaTesting", nioCore, argumentParser, crypto,
            ],
            swiftSettings: strict),
    ]
)
