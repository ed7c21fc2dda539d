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

GtkWidget *sterna_gtk_alert(GtkWindow *parent, const char *title, const char *text, const char *button) {
    GtkWidget *dialog = gtk_message_dialog_new(parent, GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT, GTK_MESSAGE_ERROR,
                                               GTK_BUTTONS_NONE, "%s", title);
    gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(dialog), "%s", text);
    gtk_dialog_add_button(GTK_DIALOG(dialog), button, GTK_RESPONSE_CLOSE);
    g_signal_connect(dialog, "response", G_CALLBACK(gtk_window_destroy), NULL);
    gtk_window_present(GTK_WINDOW(dialog));
    return dialog;
}
