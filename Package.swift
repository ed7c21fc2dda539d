// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// For what tests call a million times: it is no part of what they test. No product contains it, so that these flags bind nobody who
/// depends on the package.
let optimized: [SwiftSetting] = [.unsafeFlags(["-O"])]

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
let inMemoryLogging: Target.Dependency = .product(name: "InMemoryLogging", package: "swift-log")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let inMemoryTracing: Target.Dependency = .product(name: "InMemoryTracing", package: "swift-distributed-tracing")
let metrics: Target.Dependency = .product(name: "Metrics", package: "swift-metrics")
let metricsTestKit: Target.Dependency = .product(name: "MetricsTestKit", package: "swift-metrics")
let lifecycle: Target.Dependency = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let x509: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "_CryptoExtras", package: "swift-crypto")
let orderedCollections: Target.Dependency = .product(name: "OrderedCollections", package: "swift-collections")
let dequeModule: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

/// What tests of the session's subjects import.
let session: [Target.Dependency] = ["SternaCore", "SternaSerialization", "CSternaZlib", nioCore, nioPosix, httpTypes]
/// What tests of the engine import.
let wire: [Target.Dependency] = [
    "SternaTransport", "SternaCore", "CSternaZlib", nioCore, nioEmbedded, nioPosix, nioHTTP2, nioHPACK, nioSSL,
    httpTypes,
]

let package = Package(
    name: "sterna",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Sterna", targets: ["Sterna"]),
        .library(name: "SternaSigning", targets: ["SternaSigning"]),
        .library(name: "SternaReachability", targets: ["SternaReachability"]),
        .library(name: "SternaPropertyList", targets: ["SternaPropertyList"]),
        .library(name: "SternaXML", targets: ["SternaXML"]),
        .library(name: "SternaS3", targets: ["SternaS3"]),
        .library(name: "SternaTransfers", targets: ["SternaTransfers"]),
        .library(name: "SternaImages", targets: ["SternaImages"]),
        .library(name: "SternaURLRequest", targets: ["SternaURLRequest"]),
        .library(name: "SternaTracing", targets: ["SternaTracing"]),
        .library(name: "SternaMetrics", targets: ["SternaMetrics"]),
        .library(name: "SternaLifecycle", targets: ["SternaLifecycle"]),
        .library(name: "SternaRecorder", targets: ["SternaRecorder"]),
        .library(name: "SternaTesting", targets: ["SternaTesting"]),
        .executable(name: "tern", targets: ["TernCLI"]),
        // For `.ci/Codings` alone.
        .library(name: "_SternaSerialization", targets: ["SternaPlatform", "SternaCore", "SternaSerialization"]),
    ],
    traits: [
        .trait(
            name: "Foundation",
            description:
                "Foundation's transliteration, bundles, input streams and progress; without it, FoundationEssentials is enough."
        ),
        .trait(name: "Brotli", description: "The content coding br, by libbrotlidec and libbrotlienc."),
        .trait(name: "Zstd", description: "The content coding zstd, by libzstd."),
        .default(enabledTraits: ["Foundation"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "CSternaZlib", linkerSettings: [.linkedLibrary("z")]),
        .target(name: "CSternaNetlink"),
        // Neither read nor linked without their traits.
        .systemLibrary(
            name: "CSternaBrotli", pkgConfig: "libbrotlienc", providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
        .systemLibrary(
            name: "CSternaZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .target(name: "SternaPlatform", swiftSettings: strict),
        .target(
            name: "SternaCore", dependencies: ["SternaPlatform", httpTypes, nioCore, dequeModule], swiftSettings: strict
        ),
        .target(
            name: "SternaSerialization",
            dependencies: [
                "SternaPlatform", "SternaCore", "CSternaZlib", httpTypes, nioCore, orderedCollections,
                .target(name: "CSternaBrotli", condition: .when(traits: ["Brotli"])),
                .target(name: "CSternaZstd", condition: .when(traits: ["Zstd"])),
            ],
            swiftSettings: strict),
        .target(
            name: "SternaPropertyListCore",
            dependencies: ["SternaPlatform", "SternaCore", "SternaSerialization", httpTypes, nioCore],
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
                "SternaPlatform", "SternaCore", "SternaSerialization", "SternaPropertyListCore", "SternaSecurity",
                "SternaTransport", "CSternaNetlink", httpTypes, structuredFields, nioCore, nioPosix, dequeModule,
                logging, crypto,
            ],
            swiftSettings: strict),
        .target(
            name: "SternaSigning",
            dependencies: ["SternaPlatform", "Sterna", "SternaCore", httpTypes, structuredFields, nioCore, crypto],
            swiftSettings: strict),
        .target(
            name: "SternaReachability",
            dependencies: ["SternaPlatform", "Sterna", "SternaCore", "SternaTransport", nioCore, httpTypes],
            swiftSettings: strict),
        .target(
            name: "SternaPropertyList", dependencies: ["Sterna", "SternaCore", "SternaPropertyListCore"],
            swiftSettings: strict),
        .target(name: "SternaURLRequest", dependencies: ["Sterna", "SternaCore", httpTypes], swiftSettings: strict),
        .target(name: "SternaXML", dependencies: ["Sterna", nioCore, httpTypes], swiftSettings: strict),
        .target(
            name: "SternaS3",
            dependencies: [
                "SternaPlatform", "Sterna", "SternaPropertyListCore", "SternaSigning", "SternaTransfers", nioCore,
                httpTypes, crypto,
            ],
            swiftSettings: strict),
        .target(
            name: "SternaTransfers",
            dependencies: [
                "SternaPlatform", "Sterna", "SternaReachability", "SternaCore", "SternaSerialization", nioCore,
                httpTypes, structuredFields, crypto,
            ],
            swiftSettings: strict),
        .target(
            name: "SternaImages", dependencies: ["SternaPlatform", "Sterna", "SternaCore", nioCore, httpTypes],
            swiftSettings: strict),
        .target(
            name: "SternaTracing", dependencies: ["Sterna", "SternaCore", httpTypes, nioCore, tracing],
            swiftSettings: strict),
        .target(
            name: "SternaMetrics",
            dependencies: ["Sterna", "SternaCore", "SternaTransport", httpTypes, nioCore, metrics],
            swiftSettings: strict),
        .target(
            name: "SternaLifecycle",
            dependencies: ["Sterna", "SternaCore", "SternaTransport", "SternaTransfers", nioCore, lifecycle, logging],
            swiftSettings: strict),
        .target(
            name: "SternaRecorder",
            dependencies: ["SternaPlatform", "Sterna", "SternaCore", "SternaSerialization", httpTypes, nioCore],
            swiftSettings: strict),
        .target(
            name: "SternaTesting",
            dependencies: [
                "SternaPlatform", "SternaCore", "SternaTransport", "Sterna", "SternaReachability", "SternaRecorder",
                httpTypes, nioCore,
                nioPosix, nioHTTP1, nioHTTP2, nioHPACK, nioTLS, nioSSL, x509, asn1, crypto, orderedCollections,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "TernCLI",
            dependencies: [
                "SternaPlatform", "Sterna", "SternaPropertyListCore", "SternaReachability", "SternaSigning", "SternaS3",
                "SternaTransfers", "SternaRecorder", "SternaTesting", nioCore, httpTypes, argumentParser,
            ],
            swiftSettings: strict),
        // All tests are one program, so that what this sets holds for all of them.
        .target(name: "CTestWidth", path: "Tests/CTestWidth"),
        .target(
            name: "MutationKit", dependencies: ["SternaPlatform"], path: "Tests/MutationKit",
            swiftSettings: strict + optimized),
        // What the tests share. These are test targets so that `swift build` leaves them out.
        tests(
            "SternaTestSupport",
            [
                "MutationKit", "SternaCore", "SternaSerialization", "CTestWidth", "CSternaZlib", nioCore, nioPosix,
                httpTypes,
            ], optimized),
        tests(
            "SternaWireTestSupport",
            ["SternaTestSupport"] + wire),
        // The modules.
        tests("SternaCoreTests", ["SternaTestSupport", "SternaCore", nioCore, httpTypes]),
        tests(
            "SternaSerializationTests",
            [
                "SternaTestSupport", "SternaSerialization", "SternaPropertyList", "SternaCore", "CSternaZlib", nioCore,
                httpTypes,
            ]),
        tests(
            "SternaFormatTests",
            ["SternaTestSupport", "SternaSerialization", "SternaPropertyList", "SternaCore", nioCore, httpTypes]),
        tests("SternaSecurityTests", ["SternaTestSupport", "SternaSecurity", x509, asn1, crypto]),
        tests("SternaURLRequestTests", ["SternaURLRequest", nioCore, httpTypes]),
        tests("SternaXMLTests", ["SternaTestSupport", "SternaXML", nioCore, httpTypes]),
        tests("SternaS3Tests", ["SternaTestSupport", "SternaS3", "SternaTransfers", nioCore, httpTypes, crypto]),
        tests(
            "SternaTransfersTests",
            ["SternaTestSupport", "SternaTransfers", "SternaReachability", "SternaCore", nioCore, httpTypes]),
        tests("SternaImagesTests", ["SternaTestSupport", "SternaImages", "SternaCore", nioCore, httpTypes]),
        tests(
            "SternaTestingTests",
            ["SternaTestSupport", nioCore, nioPosix, nioHTTP2, nioHPACK, nioSSL, x509, asn1, httpTypes]),
        tests(
            "TernCLITests",
            [
                "SternaTestSupport", "TernCLI", "SternaPropertyList", "SternaSigning", "SternaRecorder", "SternaCore",
                nioCore, argumentParser, crypto,
            ]),
        // The engine, by what it does.
        tests("SternaHTTP1Tests", ["SternaWireTestSupport"] + wire),
        tests("SternaHTTP2FrameTests", ["SternaWireTestSupport"] + wire),
        tests("SternaHTTP2Tests", ["SternaWireTestSupport"] + wire),
        tests("SternaPoolTests", ["SternaWireTestSupport"] + wire),
        tests("SternaProxyTests", ["SternaWireTestSupport"] + wire),
        tests("SternaTransportTests", ["SternaWireTestSupport"] + wire),
        // Sterna, by subject.
        tests("SternaAuthenticationTests", ["SternaTestSupport", "SternaSigning"] + session),
        tests("SternaCacheTests", ["SternaTestSupport", "SternaSigning"] + session),
        tests("SternaCookieTests", ["SternaTestSupport", "SternaSigning"] + session),
        tests("SternaDownloadTests", ["SternaTestSupport"] + session),
        tests("SternaInterceptorTests", ["SternaTestSupport"] + session),
        tests("SternaReachabilityTests", ["SternaTestSupport", "SternaSigning", "SternaReachability"] + session),
        tests("SternaSessionTests", ["SternaTestSupport", "SternaPropertyList", "SternaSigning"] + session),
        tests("SternaTaskTests", ["SternaTestSupport", "SternaPropertyList"] + session),
        tests("SternaWebSocketTests", ["SternaTestSupport", dequeModule, crypto] + session),
        tests(
            "SternaObservationTests",
            [
                "SternaTestSupport", "SternaTracing", "SternaMetrics", "SternaLifecycle", "SternaTransfers",
                "SternaTransport", logging, inMemoryLogging, tracing, inMemoryTracing, metrics, metricsTestKit,
                lifecycle,
            ] + session),
        tests("SternaRecorderTests", ["SternaTestSupport", "SternaRecorder"] + session),
        // What goes across subjects: the documentation's examples, mutated inputs, other programs.
        tests(
            "SternaDocumentationTests",
            [
                "SternaTestSupport", "SternaPropertyList", "SternaReachability", "SternaSigning", "SternaS3",
                "SternaTransfers", "SternaTracing", "SternaMetrics", "SternaLifecycle", "SternaRecorder", logging,
                tracing, metrics, lifecycle,
            ] + session),
        tests(
            "SternaMutationTests",
            [
                "SternaWireTestSupport", "SternaSerialization", "SternaPropertyList", "SternaPropertyListCore",
                "SternaCoreTests", "SternaSecurityTests", "SternaXMLTests", "SternaSecurity", "SternaReachability",
                "SternaSigning", "SternaImages", "SternaS3", "SternaTransfers", "SternaXML", "SternaRecorder", x509,
                asn1, crypto,
            ] + wire),
        tests(
            "SternaInteropTests",
            [
                "SternaTestSupport", "SternaCore", "SternaPropertyList", "SternaSigning", "SternaS3", "SternaTransfers",
                "SternaTracing", "SternaRecorder", inMemoryTracing, tracing, httpTypes, nioCore, nioPosix,
            ]),
    ]
)

/// A target of tests, over `Sterna` and its test servers. All of them are one program, which the toolchain's own linker links in a
/// third of the time. A release optimizes what is tested, not the tests: that takes long, and Swift 6.3.1 crashes at some of them.
func tests(_ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = []) -> Target {
    .testTarget(
        name: name, dependencies: ["SternaPlatform", "Sterna", "SternaTesting"] + dependencies,
        swiftSettings: strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))] + settings,
        linkerSettings: [.unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux]))])
}
