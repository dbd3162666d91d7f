/**
 * German texts for problems with resources, images, domains and outbound requests, in the format of
 * `problemsInGerman`.
 */
export const resourceProblemsInGerman: Readonly<Record<string, string>> = {
  // Overlays, splash pages, bio pages, channels and pixels
  'are for a poll only': 'sind nur für Umfragen',
  'must be {} to {} lines': 'müssen {} bis {} Zeilen sein',
  'must differ from each other': 'müssen sich voneinander unterscheiden',
  'must be 1 to 64 letters, digits, underscores, dots, colons or hyphens':
    'muss aus 1 bis 64 Buchstaben, Ziffern, Unterstrichen, Punkten, Doppelpunkten oder Bindestrichen bestehen',
  'must be a color in the form #RGB or #RRGGBB':
    'muss eine Farbe in der Form #RGB oder #RRGGBB sein',
  'must be a color in the form rgb(R,G,B)': 'muss eine Farbe in der Form rgb(R,G,B) sein',
  'must be a color such as #0b6b5a': 'muss eine Farbe wie #0b6b5a sein',
  'must have values from 0 to 255': 'muss Werte von 0 bis 255 haben',

  // QR codes and images
  'must be darker than background': 'muss dunkler sein als der Hintergrund',
  'must be lighter than foreground': 'muss heller sein als der Vordergrund',
  'must be darker than {}': 'muss dunkler sein als {}',
  'must be lighter than {}': 'muss heller sein als {}',
  'has too little contrast to background for the code to be scanned':
    'hat zu wenig Kontrast zum Hintergrund, um gescannt zu werden',
  'has too little contrast to foreground for the code to be scanned':
    'hat zu wenig Kontrast zum Vordergrund, um gescannt zu werden',
  'has too little contrast to {} for the code to be scanned':
    'hat zu wenig Kontrast zu {}, um gescannt zu werden',
  "can have Latin letters, digits and . , ! ? & - + / : ( ) ' @ # %, not {}":
    "darf lateinische Buchstaben, Ziffern und . , ! ? & - + / : ( ) ' @ # % enthalten, nicht {}",
  'is too long for a QR code': 'ist zu lang für einen QR-Code',
  'is too long for a QR code with a logo': 'ist zu lang für einen QR-Code mit Logo',
  'must not be the URL in another QR code':
    'darf nicht die Adresse sein, über die ein QR-Code führt',
  'must be a phone number': 'muss eine Telefonnummer sein',
  'must be wpa, wep or none': 'muss wpa, wep oder none sein',
  'must have at most 32 bytes': 'darf höchstens 32 Byte lang sein',
  'must be an object of contact fields or text beginning BEGIN:VCARD':
    'muss aus Kontaktfeldern bestehen oder Text sein, der mit BEGIN:VCARD beginnt',
  'must be an http or https URL, or the name of a logo of this service':
    'muss eine http- oder https-URL sein oder der Name eines Logos dieses Dienstes',
  'names a file that does not exist': 'nennt eine Datei, die es nicht gibt',
  'could not be fetched': 'konnte nicht abgerufen werden',
  'must be a png or jpg image': 'muss ein PNG- oder JPEG-Bild sein',
  'must be a png or jpg image that can be read': 'muss ein lesbares PNG- oder JPEG-Bild sein',
  'must have at most 16 million pixels': 'darf höchstens 16 Millionen Pixel haben',
  'is too detailed: use a simpler image':
    'hat zu viele Details: Verwenden Sie ein einfacheres Bild',

  // Domains
  'must be valid JSON': 'muss gültiges JSON sein',
  'must be a JSON array of statements': 'muss ein JSON-Array mit Einträgen sein',
  'must be a JSON object with applinks, {}': 'muss ein JSON-Objekt mit applinks, {} sein',
  'applinks must have "details", a list': 'applinks braucht „details“, eine Liste',
  '{} must be an object': '{} muss ein Objekt sein',
  '{} must have "appIDs", a list of texts': '{} braucht „appIDs“, eine Liste von Texten',
  '{} must have "apps", a list of texts': '{} braucht „apps“, eine Liste von Texten',
  '{} must have "relation", a list of texts': '{} braucht „relation“, eine Liste von Texten',
  '{} must have a "target" with {}, or with "namespace" and "site"':
    '{} braucht ein „target“ mit {} oder mit „namespace“ und „site“',
  '{}.components must be a list of objects': '{}.components muss eine Liste von Objekten sein',
  '{}.paths must be a list of texts': '{}.paths muss eine Liste von Texten sein',

  // Webhooks and outbound requests
  'cannot be added: there are {} endpoints already':
    'kann nicht hinzugefügt werden: Es gibt bereits {} Endpunkte',
  'must name at least one event': 'braucht mindestens ein Ereignis',
  'must be an http or https URL without user name, on port 80, 443 or above 1023':
    'muss eine http- oder https-URL ohne Benutzernamen sein, mit Port 80, 443 oder über 1023',
  'could not be reached at a public address': 'ist unter keiner öffentlichen Adresse erreichbar',
  'did not respond in time': 'hat nicht rechtzeitig geantwortet',
  'is too large': 'ist zu groß',
  'redirects too often': 'leitet zu oft weiter',
  'sent an invalid response': 'hat ungültig geantwortet',
}
