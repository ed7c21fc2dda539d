import SternaCore

/// The option that holds whether requests share transfers.
enum CoalescingUseKey: RequestOptionKey {
    static var defaultValue: Bool { false }
    static var name: String? { "network.coalescesRequests" }
}
