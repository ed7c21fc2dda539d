import CSternaGTK
import CSternaLibGTK
import SternaImages

/// The textures of pixels: one for the same pixels, as long as a widget shows them, so that a graphics card gets them once.
@MainActor enum Textures {
    /// For each memory a reference that does not keep its texture. The texture keeps the memory, so that an identifier means one memory.
    private static var known: [ObjectIdentifier: UnsafeMutablePointer<GWeakRef>] = [:]

    static var count: Int { known.count }

    /// Returns the texture of pixels, which shares their memory.
    static func texture(of pixels: PixelBuffer) -> ObjectReference {
        let id = ObjectIdentifier(pixels.memory)
        if let weak = known[id], let texture = g_weak_ref_get(weak) { return ObjectReference(taking: texture) }
        let bytes = pixels.memory.bytes
        let owner = Unmanaged.passRetained(pixels.memory).toOpaque()
        let texture: OpaquePointer = sterna_gtk_texture(
            bytes.baseAddress, bytes.count, CInt(clamping: pixels.size.width), CInt(clamping: pixels.size.height), owner
        ) { owner in
            guard let owner else { return }
            let memory = Unmanaged<PixelMemory>.fromOpaque(owner).takeRetainedValue()
            // Any thread may release a texture last.
            if MainThread.isCurrent {
                MainThread.run { Textures.forget(memory) }
            } else {
                Task { @MainActor in Textures.forget(memory) }
            }
        }
        let raw = UnsafeMutableRawPointer(texture)
        let weak = known[id] ?? .allocate(capacity: 1)
        if known[id] == nil { g_weak_ref_init(weak, raw) } else { g_weak_ref_set(weak, raw) }
        known[id] = weak
        return ObjectReference(taking: raw)
    }

    /// Removes the entry of a texture that has ended, unless the memory has another one since.
    private static func forget(_ memory: PixelMemory) {
        let id = ObjectIdentifier(memory)
        guard let weak = known[id] else { return }
        if let texture = g_weak_ref_get(weak) { return g_object_unref(texture) }
        known[id] = nil
        g_weak_ref_clear(weak)
        weak.deallocate()
    }
}
