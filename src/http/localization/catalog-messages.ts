import type { ErrorCode } from '../../errors.ts'

/** The German texts of the error catalog. */
export const catalogInGerman: Readonly<Record<ErrorCode, string>> = {
  invalid_input: 'Die Anfrage ist ungültig.',
  malformed_request: 'Die Anfrage konnte nicht verarbeitet werden.',
  key_required: 'Für diesen Dienst ist ein gültiger API-Schlüssel nötig.',
  edge_token_required: 'Ein gültiges Edge-Token ist erforderlich.',
  account_suspended: 'Dieses Konto ist gesperrt.',
  registration_closed: 'Die Registrierung ist geschlossen.',
  too_many_links: 'Dieses Konto hat die Höchstzahl an Links erreicht.',
  too_many_passkeys: 'Sie haben die Höchstzahl an Passkeys erreicht. Entfernen Sie zuerst einen.',
  too_many_keys:
    'Dieses Konto hat die Höchstzahl an Schlüsseln erreicht. Widerrufen Sie zuerst einen.',
  too_many_qr_codes: 'Dieses Konto hat die Höchstzahl an QR-Codes erreicht.',
  too_many_bio_pages: 'Dieses Konto hat die Höchstzahl an Bio-Seiten erreicht.',
  storage_full:
    'Der Speicherplatz dieses Kontos ist aufgebraucht. Löschen Sie etwas, oder bitten Sie den Betreiber um mehr.',
  link_blocked: 'Die Verwaltung hat diesen Link deaktiviert. Nur sie kann ihn wieder aktivieren.',
  scope_too_narrow: 'Dieser API-Schlüssel darf das nicht.',
  key_bound: 'Dieser API-Schlüssel gilt nur für eine Domain.',
  form_expired:
    'Dieses Formular ist abgelaufen. Öffnen Sie die Seite erneut und versuchen Sie es noch einmal.',
  sign_in_expired: 'Diese Anmeldung ist abgelaufen. Melden Sie sich erneut an.',
  role_too_low: 'Ihre Rolle in diesem Konto erlaubt das nicht. Fragen Sie einen Inhaber.',
  no_account: 'Sie sind in keinem Konto Mitglied. Bitten Sie um eine Einladung.',
  too_many_invitations:
    'Dieses Konto hat zu viele offene Einladungen. Ziehen Sie zuerst eine zurück.',
  password_sign_in_off:
    'Die Anmeldung mit Passwort ist hier ausgeschaltet. Melden Sie sich anders an.',
  sign_in_again:
    'Melden Sie sich zur Bestätigung erneut an und versuchen Sie es innerhalb von 10 Minuten noch einmal.',
  provider_sign_in_failed: 'Die Anmeldung ist fehlgeschlagen. Versuchen Sie es noch einmal.',
  provider_user_unknown:
    'Sie haben noch keinen Zugang. Bitten Sie einen Administrator um eine Einladung.',
  provider_email_unverified:
    'Es gibt einen Benutzer mit Ihrer E-Mail-Adresse, aber Ihr Anmeldedienst hat die Adresse nicht bestätigt. Melden Sie sich wie bisher an und verbinden Sie den Anmeldedienst in den Einstellungen.',
  provider_user_unconfirmed:
    'Es gibt einen Benutzer mit Ihrer E-Mail-Adresse, aber die Adresse wurde hier nie bestätigt. Melden Sie sich wie bisher an und verbinden Sie den Anmeldedienst in den Einstellungen, oder lassen Sie die Adresse von einem Administrator bestätigen.',
  provider_user_unconnected:
    'Ihr Benutzer hat einen zweiten Faktor. Melden Sie sich damit an und verbinden Sie den Anmeldedienst in den Einstellungen.',
  provider_user_taken:
    'Ihre E-Mail-Adresse gehört hier jemand anderem. Fragen Sie einen Administrator.',
  forbidden: 'Diese Anfrage ist nicht erlaubt.',
  not_found: 'Das wurde nicht gefunden.',
  method_not_allowed: 'Diese Methode ist hier nicht erlaubt.',
  alias_taken: 'Dieser Alias ist vergeben. Wählen Sie einen anderen.',
  alias_held:
    'Dieser Alias ist reserviert: Sein letzter Link wurde von der Verwaltung deaktiviert oder gelöscht, während er gemeldet war. Wählen Sie einen anderen.',
  destination_held:
    'Dieses Ziel ist reserviert: Ihr Link dorthin wurde von der Verwaltung deaktiviert oder gelöscht, während er gemeldet war.',
  slug_taken: 'Dieser Kurzname ist vergeben. Wählen Sie einen anderen.',
  domain_taken: 'Diese Domain wird bereits verwendet.',
  domain_in_use: 'Diese Domain hat noch Links. Löschen oder verschieben Sie sie zuerst.',
  email_taken: 'Diese E-Mail-Adresse wird bereits verwendet.',
  username_taken: 'Dieser Benutzername ist vergeben. Wählen Sie einen anderen.',
  name_taken: 'Dieser Wert ist bereits vergeben.',
  last_admin:
    'Das ist der einzige Administrator. Machen Sie zuerst jemand anderen zum Administrator.',
  last_owner: 'Ein Konto braucht einen Inhaber. Machen Sie zuerst jemand anderen zum Inhaber.',
  already_member: 'Diese Person ist bereits Mitglied.',
  member_changed: 'Die Rolle dieses Mitglieds wurde inzwischen geändert. Prüfen Sie sie erneut.',
  idempotency_conflict: 'Dieser Idempotency-Key wurde bereits für eine andere Anfrage verwendet.',
  link_changed: 'Der Link wurde inzwischen geändert. Prüfen Sie ihn erneut.',
  clicks_counted: 'Diese Klicks beginnen nicht dort, wo die letzten endeten.',
  edge_differs: 'Edge und Hauptinstallation haben unterschiedliche Versionen oder Einstellungen.',
  reset_link_invalid:
    'Dieser Link ist abgelaufen oder wurde bereits verwendet. Fordern Sie einen neuen an.',
  invitation_invalid:
    'Diese Einladung ist abgelaufen oder wurde bereits verwendet. Bitten Sie um eine neue.',
  edge_outdated: 'Der Link-Speicher muss neu aufgebaut werden.',
  gone: 'Dieser Link ist nicht mehr verfügbar.',
  body_too_large: 'Die Anfrage ist zu groß.',
  uri_too_long: 'Die URL der Anfrage ist zu lang.',
  unsupported_media_type: 'Die Anfrage muss JSON enthalten.',
  not_on_edge: 'Dieser Server bedient nur Kurzlinks. Die Konsole und die APIs befinden sich unter',
  rate_limited: 'Zu viele Anfragen. Versuchen Sie es später noch einmal.',
  new_account_limited:
    'Ein neues Konto kann 3 Personen am Tag einladen. Versuchen Sie es morgen noch einmal.',
  registration_limited: 'Aus Ihrem Netzwerk wurden heute zu viele Konten erstellt.',
  headers_too_large: 'Die Kopfzeilen der Anfrage sind zu groß.',
  internal: 'Bei uns ist etwas schiefgelaufen. Versuchen Sie es später noch einmal.',
  provider_unavailable:
    'Ihr Anmeldedienst ist nicht erreichbar. Versuchen Sie es in einer Minute noch einmal.',
  too_slow:
    'Das hat länger gedauert als erlaubt. Grenzen Sie es mit einem Filter, einem kürzeren Zeitraum oder einer kleineren Seite ein.',
  busy: 'Der Dienst ist ausgelastet. Versuchen Sie es später noch einmal.',
  database_unavailable:
    'Der Dienst ist vorübergehend nicht verfügbar. Versuchen Sie es später noch einmal.',
}
