// What Swift cannot call of GTK: macros, variadic functions, and classes of GObject.

#ifndef CSTERNA_GTK_H
#define CSTERNA_GTK_H

#include <gtk/gtk.h>
#include <stdbool.h>
#include <stdint.h>

// MARK: The main loop (MainLoop.c)

// Has GLib's default context run libdispatch's main queue, on which Swift runs the main actor. To be called on the process's first thread;
// returns false on any other. A second call has no effect.
bool sterna_gtk_attach_main_queue(void);

// Whether this is the thread that attached the main queue.
bool sterna_gtk_is_main_thread(void);

// Called with the nanoseconds of each turn of the main queue, as a clock has them and as this thread has run; NULL, the default, measures
// nothing.
void sterna_gtk_measure_turns(void (*turn)(uint64_t nanoseconds, uint64_t processor));

// The nanoseconds that this thread has run.
uint64_t sterna_gtk_processor_time(void);

// MARK: Signals and objects (Objects.c)

// Connects a function to a signal. It is called with `data` alone, whatever arguments the signal has. `release` is called with `data` when the
// handler is removed.
gulong sterna_gtk_connect(gpointer instance, const char *signal, void (*call)(gpointer data), gpointer data,
                          void (*release)(gpointer data));

// As above, for signals and closures that pass an object first.
gulong sterna_gtk_connect_object(gpointer instance, const char *signal, void (*call)(gpointer data, gpointer object), gpointer data,
                                 void (*release)(gpointer data));

// As above, for signals that pass a position first.
gulong sterna_gtk_connect_position(gpointer instance, const char *signal, void (*call)(gpointer data, guint position), gpointer data,
                                   void (*release)(gpointer data));

// Keeps `value` in an object under a name, until another takes its place or the object ends; NULL removes it.
void sterna_gtk_keep(gpointer object, const char *name, gpointer value, void (*release)(gpointer value));

// Calls a function at each frame of a widget while it returns true.
void sterna_gtk_on_frames(GtkWidget *widget, bool (*frame)(gpointer data, int64_t microseconds), gpointer data,
                          void (*release)(gpointer data));

// MARK: Accessibility

void sterna_gtk_set_label(GtkWidget *widget, const char *label);
void sterna_gtk_set_description(GtkWidget *widget, const char *description);
void sterna_gtk_set_busy(GtkWidget *widget, bool is_busy);

// Whether the user wants animations.
bool sterna_gtk_animates(GtkWidget *widget);

// Shows a message above a window, or alone if that is NULL, with a button that closes it; returns the GtkMessageDialog.
GtkWidget *sterna_gtk_alert(GtkWindow *parent, const char *title, const char *text, const char *button);

// MARK: Pictures (Pictures.c)

// Makes a texture of premultiplied RGBA without a copy; `release` is called with `owner` when nothing uses the bytes any more, on any thread.
GdkTexture *sterna_gtk_texture(const void *bytes, size_t count, int width, int height, gpointer owner,
                               void (*release)(gpointer owner));

// A paintable that fades from one to another; `from` may be NULL. It has the size of `to`.
GdkPaintable *sterna_gtk_fade(GdkPaintable *from, GdkPaintable *to, bool covers);

// Sets how far it is: 0 shows the first, 1 the second.
void sterna_gtk_fade_set_progress(GdkPaintable *fade, double progress);

#endif
