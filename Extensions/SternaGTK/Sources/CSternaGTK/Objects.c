#include "CSternaGTK.h"

gulong sterna_gtk_connect(gpointer instance, const char *signal, void (*call)(gpointer data), gpointer data,
                          void (*release)(gpointer data)) {
    // Swapped, `data` comes first. C's calling conventions let a function take fewer arguments than it is passed.
    return g_signal_connect_data(instance, signal, G_CALLBACK(call), data, (GClosureNotify)(void (*)(void))release, G_CONNECT_SWAPPED);
}

gulong sterna_gtk_connect_object(gpointer instance, const char *signal, void (*call)(gpointer data, gpointer object), gpointer data,
                                 void (*release)(gpointer data)) {
    return g_signal_connect_data(instance, signal, G_CALLBACK(call), data, (GClosureNotify)(void (*)(void))release, G_CONNECT_SWAPPED);
}

gulong sterna_gtk_connect_position(gpointer instance, const char *signal, void (*call)(gpointer data, guint position), gpointer data,
                                   void (*release)(gpointer data)) {
    return g_signal_connect_data(instance, signal, G_CALLBACK(call), data, (GClosureNotify)(void (*)(void))release, G_CONNECT_SWAPPED);
}

void sterna_gtk_keep(gpointer object, const char *name, gpointer value, void (*release)(gpointer value)) {
    g_object_set_data_full(G_OBJECT(object), name, value, value ? release : NULL);
}

typedef struct {
    bool (*frame)(gpointer data, int64_t microseconds);
    gpointer data;
    void (*release)(gpointer data);
} Frames;

static gboolean on_frame(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
    (void)widget;
    Frames *frames = data;
    return frames->frame(frames->data, gdk_frame_clock_get_frame_time(clock)) ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void end_frames(gpointer data) {
    Frames *frames = data;
    frames->release(frames->data);
    g_free(frames);
}

void sterna_gtk_on_frames(GtkWidget *widget, bool (*frame)(gpointer data, int64_t microseconds), gpointer data,
                          void (*release)(gpointer data)) {
    Frames *frames = g_new(Frames, 1);
    *frames = (Frames){frame, data, release};
    gtk_widget_add_tick_callback(widget, on_frame, frames, end_frames);
}

void sterna_gtk_set_label(GtkWidget *widget, const char *label) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

void sterna_gtk_set_description(GtkWidget *widget, const char *description) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1);
}

void sterna_gtk_set_busy(GtkWidget *widget, bool is_busy) {
    gtk_accessible_update_state(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_BUSY, (gboolean)is_busy, -1);
}

bool sterna_gtk_animates(GtkWidget *widget) {
    gboolean animates = FALSE;
    g_object_get(gtk_widget_get_settings(widget), "gtk-enable-animations", &animates, NULL);
    return animates;
}
