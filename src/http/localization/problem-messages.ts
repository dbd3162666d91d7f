/**
 * German texts by English text, for problems with fields and for errors whose text is not in the
 * catalog. `{}` stands for a parameter. The text of a problem follows the name of its field.
 */
export const problemsInGerman: Readonly<Record<string, string>> = {
  // Text and numbers
  'must not be empty': 'darf nicht leer sein',
  'is required': 'ist erforderlich',
  'must be at most {} characters long': 'darf höchstens {} Zeichen lang sein',
  'must be at most {} characters': 'darf höchstens {} Zeichen lang sein',
  'must have at most {} characters': 'darf höchstens {} Zeichen lang sein',
  'must be at most {} bytes': 'darf höchstens {} Byte lang sein',
  'must be at most {}': 'darf höchstens {} sein',
  'must be at most {} MB': 'darf höchstens {} MB groß sein',
  'must be at most 1 MiB': 'darf höchstens 1 MiB groß sein',
  'must be at most 64 KiB long': 'darf höchstens 64 KiB lang sein',
  'must be text without NUL characters or broken surrogates':
    'muss Text ohne NUL-Zeichen und unvollständige Zeichen sein',
  'must be valid Unicode text': 'muss gültiger Unicode-Text sein',
  'must not contain control characters': 'darf keine Steuerzeichen enthalten',
  'must not contain NUL characters': 'darf keine NUL-Zeichen enthalten',
  'must be text': 'muss Text sein',
  'must be a string': 'muss Text sein',
  'must be a whole number': 'muss eine ganze Zahl sein',
  'must be a positive integer': 'muss eine positive ganze Zahl sein',
  'must be a whole number from 0 to 300': 'muss eine ganze Zahl von 0 bis 300 sein',
  'must be a whole number from 0 to {}': 'muss eine ganze Zahl von 0 bis {} sein',
  'must be a whole number from 1 to {}': 'muss eine ganze Zahl von 1 bis {} sein',
  'must be a whole number from {} to {}': 'muss eine ganze Zahl von {} bis {} sein',
  'must be true or false': 'muss wahr oder falsch sein',
  'must be on or off': 'muss an oder aus sein',
  'must be one of {}': 'muss eine dieser Möglichkeiten sein: {}',
  'must be one of off, {}': 'muss eine dieser Möglichkeiten sein: off, {}',
  'must be one of those that are offered': 'muss eine der angebotenen Möglichkeiten sein',
  'must be {} or {}': 'muss {} oder {} sein',
  'must have at most {} entries': 'darf höchstens {} Einträge haben',
  'must have at most {} words': 'darf höchstens {} Wörter haben',
  'must have {} to {} entries': 'muss {} bis {} Einträge haben',
  'takes at most {} values': 'darf höchstens {} Werte haben',
  'is not known': 'ist unbekannt',
  'is not a known {}: {}': 'ist unbekannt: {1}',
  'is listed twice': 'kommt doppelt vor',
  'is listed twice: {}': 'kommt doppelt vor: {}',
  'contains an entry that does not exist': 'enthält einen Eintrag, den es nicht gibt',

  // URLs, aliases and hosts
  'must be a valid http or https URL': 'muss eine gültige http- oder https-URL sein',
  'must be a valid URL with one of these schemes: {}':
    'muss eine gültige URL mit einem dieser Schemas sein: {}',
  'must be an http or https URL': 'muss eine http- oder https-URL sein',
  'must be a URL': 'muss eine URL sein',
  'must not contain a user name or password':
    'darf keinen Benutzernamen und kein Passwort enthalten',
  'must not lead to the short-link service itself': 'darf nicht zu diesem Dienst selbst führen',
  'must not lead to the domain itself': 'darf nicht zur Domain selbst führen',
  'leads to a host that is blocked on this service': 'führt zu einem Host, der hier gesperrt ist',
  'is reserved: your link to it was disabled by an admin or deleted while it was reported':
    'ist reserviert: Ihr Link dorthin wurde von der Verwaltung deaktiviert oder gelöscht, während er gemeldet war',
  'must be 1 to 64 letters, digits, hyphens or underscores':
    'muss aus 1 bis 64 Buchstaben, Ziffern, Bindestrichen oder Unterstrichen bestehen',
  'must have at most {} segments': 'darf höchstens {} Segmente haben',
  'can have dots and slashes only in the middle, and no segment that is empty, . or ..':
    'darf Punkte und Schrägstriche nur in der Mitte haben und kein Segment, das leer, . oder .. ist',
  'is a reserved word': 'ist ein reserviertes Wort',
  'must not contain the invisible character {}': 'darf das unsichtbare Zeichen {} nicht enthalten',
  'must not contain the combining mark {} in this position':
    'darf das kombinierende Zeichen {} an dieser Stelle nicht enthalten',
  'cannot change again while the link is under review':
    'kann nicht erneut geändert werden, solange der Link geprüft wird',
  'must be a short link or an alias': 'muss ein Kurzlink oder Alias sein',
  'must be a host name or an IP address': 'muss ein Hostname oder eine IP-Adresse sein',
  'is an IP address, which has no subdomains': 'ist eine IP-Adresse und hat keine Subdomains',
  'would be one of over {}': 'wäre einer von über {}',
  'must be one that the link leads to': 'muss ein Host sein, zu dem der Link führt',
  'has no page whose title could be fetched': 'hat keine Seite mit einem abrufbaren Titel',
  'must be http:// or https:// and a host name, without a path':
    'muss aus http:// oder https:// und einem Hostnamen ohne Pfad bestehen',
  'must begin with http:// or https://': 'muss mit http:// oder https:// beginnen',
  'must already point to this service': 'muss bereits auf diesen Dienst zeigen',
  'must be a name and not an IP address': 'muss ein Name sein, keine IP-Adresse',
  'must not be the service itself': 'darf nicht der Dienst selbst sein',
  'is not a domain of this account': 'ist keine Domain dieses Kontos',
  'is not a domain of this account: {}': 'ist keine Domain dieses Kontos: {}',
  'is not a branded domain of this account': 'ist keine eigene Domain dieses Kontos',

  // Dates and time zones
  'must be in the future': 'muss in der Zukunft liegen',
  'must be before the expiration': 'muss vor dem Ablauf liegen',
  'is not a date that exists': 'ist kein Datum, das es gibt',
  'must have the form YYYY-MM-DD HH:MM:SS or YYYY-MM-DD':
    'muss die Form JJJJ-MM-TT HH:MM:SS oder JJJJ-MM-TT haben',
  'must have the form YYYY-MM-DD': 'muss die Form JJJJ-MM-TT haben',
  'must be a date of the form YYYY-MM-DD': 'muss ein Datum der Form JJJJ-MM-TT sein',
  'must have the form HH:MM': 'muss die Form HH:MM haben',
  'must be a time zone such as Europe/Berlin': 'muss eine Zeitzone wie Europe/Berlin sein',
  'must be a time zone, such as Europe/Berlin': 'muss eine Zeitzone wie Europe/Berlin sein',
  'must be an IANA time zone, such as Europe/Berlin': 'muss eine Zeitzone wie Europe/Berlin sein',
  'must not be after to': 'darf nicht nach dem Ende liegen',
  'must not be after today': 'darf nicht in der Zukunft liegen',
  'would begin before 1970': 'würde vor 1970 beginnen',
  'must be within the last {} days if interval is hour':
    'muss bei stündlicher Ansicht in den letzten {} Tagen liegen',
  'hour is for spans of up to {} days': 'stündlich geht nur für Zeiträume bis {} Tage',
  'day is for spans of up to {} days': 'täglich geht nur für Zeiträume bis {} Tage',
  'week is for spans of up to {} days': 'wöchentlich geht nur für Zeiträume bis {} Tage',
  'month is for spans of up to {} days': 'monatlich geht nur für Zeiträume bis {} Tage',
  '{} is for spans of up to {} days': '{} gilt für Zeiträume bis {} Tage',
  'is too early: filters count at most {} clicks at once':
    'liegt zu früh: Filter zählen höchstens {} Klicks auf einmal',
  'is too early: filters need raw clicks, which are available from {} (UTC)':
    'liegt zu früh: Filter brauchen einzelne Klicks, und die gibt es ab {} (UTC)',
  'goes back too far: filters need raw clicks, which are available from {} (UTC)':
    'reicht zu weit zurück: Filter brauchen einzelne Klicks, und die gibt es ab {} (UTC)',
  'is too early: {}': 'liegt zu früh: {}',
  'goes back too far: {}': 'reicht zu weit zurück: {}',
  'must be a country code, such as DE, or an English name':
    'muss ein Ländercode wie DE oder ein englischer Name sein',
  'must be a language code, such as de, or an English name':
    'muss ein Sprachcode wie de oder ein englischer Name sein',

  // Targeting rules and splits
  'must be an object of conditions': 'muss ein Objekt mit Bedingungen sein',
  'must have at least one condition': 'muss mindestens eine Bedingung haben',
  'is not a known condition': 'ist keine bekannte Bedingung',
  'must have 1 to {} parameters by their names': 'muss 1 bis {} benannte Parameter haben',
  'must not have an empty name': 'darf keinen leeren Namen haben',
  'must be an object with days, from, until, or zone':
    'muss ein Objekt mit days, from, until oder zone sein',
  'must have days, from, or until': 'braucht Wochentage, Beginn oder Ende',
  'must be a list of 1 to {} days': 'muss eine Liste von 1 bis {} Tagen sein',
  'must differ from the start': 'muss sich vom Beginn unterscheiden',
  'must be direct, frame, splash, the id of a splash page or overlay-<id>':
    'muss direct, frame, splash, die ID einer Zwischenseite oder overlay-<id> sein',
  'names a pixel that does not exist': 'enthält ein Pixel, das es nicht gibt',
  'names a splash page that does not exist': 'nennt eine Zwischenseite, die es nicht gibt',
  'names an overlay that does not exist': 'nennt ein Overlay, das es nicht gibt',
  'may be set for at most {} links in one request':
    'darf für höchstens {} Links auf einmal gesetzt werden',
  'would be more than {} on one of these links': 'wären bei einem dieser Links mehr als {}',
  'must have a value if all other parameters are empty':
    'braucht einen Wert, oder füllen Sie ein anderes Feld aus',
  'cannot be saved: an account has at most {} templates':
    'kann nicht gespeichert werden: Ein Konto hat höchstens {} Vorlagen',

  // Accounts and sign-in
  'must be a valid email address': 'muss eine gültige E-Mail-Adresse sein',
  'must be an email address': 'muss eine E-Mail-Adresse sein',
  'must be 8 to 200 characters long': 'muss 8 bis 200 Zeichen lang sein',
  'must be 2 to 32 letters, digits, - or _, beginning with a letter or digit':
    'muss aus 2 bis 32 Buchstaben, Ziffern, - oder _ bestehen und mit einem Buchstaben oder einer Ziffer beginnen',
  'is not your password': 'ist nicht Ihr Passwort',
  'must differ from the current password': 'muss sich vom aktuellen Passwort unterscheiden',
  'must be the name of this account, letter by letter': 'muss genau der Name dieses Kontos sein',
  'must be owner, editor or viewer': 'muss Inhaber, Bearbeiter oder Betrachter sein',
  'or password is required': 'oder Passwort ist erforderlich',
  'was not accepted': 'wurde nicht akzeptiert',
  'is registered already': 'ist bereits registriert',
  'Incorrect password.': 'Das Passwort ist falsch.',
  'This code is wrong or was used before.': 'Dieser Code ist falsch oder wurde bereits verwendet.',
  'This form has expired. Please open the page again and retry.':
    'Dieses Formular ist abgelaufen. Öffnen Sie die Seite erneut und versuchen Sie es noch einmal.',
  'This form was sent from another site.':
    'Dieses Formular wurde von einer anderen Website gesendet.',
  'Your provider is connected to another user here.':
    'Ihr Anmeldedienst ist hier mit einem anderen Benutzer verbunden.',
  'Your provider sent no email. Ask your admin.':
    'Ihr Anmeldedienst hat keine E-Mail-Adresse gesendet. Fragen Sie Ihren Administrator.',
  'The account has no valid key {}.': 'Das Konto hat keinen gültigen Schlüssel {}.',
  'The account {} is being deleted.': 'Das Konto {} wird gelöscht.',
  'There is no link at {}.': 'Unter {} gibt es keinen Link.',
  'There is no user with the email {}.': 'Es gibt keinen Benutzer mit der E-Mail-Adresse {}.',
  'These reports have been settled already.': 'Diese Meldungen sind bereits erledigt.',
  'This is your own account.': 'Das ist Ihr eigenes Konto.',
  'This link is no longer held.': 'Dieser Link ist nicht mehr reserviert.',
  '{} has no second factor.': '{} hat keinen zweiten Faktor.',
  '{} is not blocked.': '{} ist nicht gesperrt.',
  'Too many pages are open.': 'Zu viele Seiten sind offen.',
  'This account has too many pages with live statistics open. Close some of them.':
    'Dieses Konto hat zu viele Seiten mit Live-Statistik geöffnet. Schließen Sie einige davon.',
}
