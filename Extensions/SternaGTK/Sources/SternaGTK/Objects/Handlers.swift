import CSternaGTK
import CSternaLibGTK

/// A closure that C holds: retained by the object it is given to, and released with it.
private final class Handler<Input, Output: Sendable>: Sendable {
    let call: @MainActor (Input) -> Output

    init(_ call: @escaping @MainActor (Input) -> Output) { self.call = call }

    /// The pointer for C, which owns the handler.
    var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    static func at(_ pointer: UnsafeMutableRawPointer?) -> Handler? {
        pointer.map { Unmanaged<Handler>.fromOpaque($0).takeUnretainedValue() }
    }
}

/// Gives back what C held, of whatever class.
private func release(_ pointer: UnsafeMutableRawPointer?) {
    if let pointer { Unmanaged<AnyObject>.fromOpaque(pointer).release() }
}

extension UnsafeMutableRawPointer {
    /// Calls a closure at each signal of this GObject, as long as that lives. The closure must not hold what owns the object. The signal has no
    /// result.
    @MainActor package func onSignal(_ name: String, _ call: @escaping @MainActor () -> Void) {
        let handler = Handler<Void, Void> { _ in call() }
        sterna_gtk_connect(self, name, { data in Handler<Void, Void>.at(data)?.run() }, handler.retained, release)
    }

    /// Calls a closure at each signal of this GObject whose first argument is an object.
    @MainActor func onSignal(of name: String, _ call: @escaping @MainActor (GObjectPointer) -> Void) {
        let handler = Handler<GObjectPointer, Void>(call)
        sterna_gtk_connect_object(
            self, name,
            { data, object in
                guard let handler = Handler<GObjectPointer, Void>.at(data), let object else { return }
                let pointer = GObjectPointer(raw: object)
                MainThread.run { handler.call(pointer) }
            }, handler.retained, release)
    }

    /// Calls a closure at each signal of this GObject whose first argument is a position.
    @MainActor func onSignal(at name: String, _ call: @escaping @MainActor (Int) -> Void) {
        let handler = Handler<Int, Void>(call)
        sterna_gtk_connect_position(
            self, name,
            { data, position in
                guard let handler = Handler<Int, Void>.at(data) else { return }
                MainThread.run { handler.call(Int(position)) }
            }, handler.retained, release)
    }

    /// Keeps a Swift object as long as this GObject lives, in place of an earlier one of the name.
    @MainActor func keep(_ object: AnyObject?, as name: String) {
        sterna_gtk_keep(self, name, object.map { Unmanaged.passRetained($0).toOpaque() }, release)
    }
}

extension Handler where Input == Void, Output == Void {
    func run() { MainThread.run { self.call(()) } }
}

/// The pointer of a GObject on its way from C to the main actor.
// Invariant: it is made and used on the main thread alone, which `MainThread.run` asserts.
package struct GObjectPointer: @unchecked Sendable {
    package let raw: UnsafeMutableRawPointer

    package init(raw: UnsafeMutableRawPointer) { self.raw = raw }

    package var opaque: OpaquePointer { OpaquePointer(raw) }
}

/// Calls a closure at each frame of a widget, with the frame's time, while it returns true and the widget lives.
@MainActor package func onFrames(of widget: WidgetPointer, _ frame: @escaping @MainActor (Duration) -> Bool) {
    let handler = Handler<Duration, Bool>(frame)
    sterna_gtk_on_frames(
        widget,
        { data, microseconds in
            guard let handler = Handler<Duration, Bool>.at(data) else { return false }
            return MainThread.run { handler.call(.microseconds(microseconds)) }
        }, handler.retained, release)
}
