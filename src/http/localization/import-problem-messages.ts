/** German texts for problems with imports, in the format of `problemsInGerman`. */
export const importProblemsInGerman: Readonly<Record<string, string>> = {
  'add up to {}, more than the {} clicks': 'ergeben zusammen {}, mehr als die {} Klicks',
  'is a hash that would be too expensive to verify':
    'ist ein Hash, dessen Prüfung zu aufwendig wäre',
  'must be an argon2 or bcrypt hash': 'muss ein argon2- oder bcrypt-Hash sein',
  'is not a date that can be read: {}': 'ist kein lesbares Datum: {}',
  'is not a date that can be read: {}; choose whether the day or the month comes first (--dates)':
    'ist kein lesbares Datum: {}. Wählen Sie, ob der Tag oder der Monat zuerst kommt',
  'is too far in the future': 'liegt zu weit in der Zukunft',
  'must be a past day in the form YYYY-MM-DD':
    'muss ein vergangener Tag in der Form JJJJ-MM-TT sein',
  'must be in the past': 'muss in der Vergangenheit liegen',
  'must be whole hours from 0 to 23': 'müssen ganze Stunden von 0 bis 23 sein',
  'must be a URL that begins with https://': 'muss eine URL sein, die mit https:// beginnt',
  'must be the key of the source': 'muss der Schlüssel der Quelle sein',
  'must wait: other imports use all the available space; try again later':
    'muss warten: Dateien anderer Importe belegen den ganzen Platz. Versuchen Sie es später noch einmal',
  'must wait: finish or cancel the import of the previous file first':
    'muss warten: Beenden Sie zuerst den Import der letzten Datei oder brechen Sie ihn ab',
  'Too many imports are waiting; cancel one first.':
    'Zu viele Importe warten. Brechen Sie zuerst einen ab.',
  'row {}: the alias {} is taken; choose to skip or to rename such links':
    'Zeile {}: Der Alias {} ist vergeben. Wählen Sie, ob solche Links übersprungen oder umbenannt werden',

  // Rows
  'the alias is taken': 'der Alias ist vergeben',
  'the alias is already in the file': 'der Alias kommt in der Datei schon vor',
  'an earlier row has the same alias and destination, but another password, expiration or other setting':
    'eine frühere Zeile hat denselben Alias und dasselbe Ziel, aber ein anderes Passwort, einen anderen Ablauf oder eine andere Einstellung',
  'the link could not be stored': 'der Link konnte nicht gespeichert werden',
  'the entry is not an object': 'der Eintrag ist kein Objekt',
  'the line is longer than {} bytes': 'die Zeile ist länger als {} Byte',
  'the line is not valid JSON; the file may be cut off':
    'die Zeile ist kein gültiges JSON; vielleicht ist die Datei abgeschnitten',
  'the line is not one URL; for several columns, begin with their names':
    'die Zeile ist keine einzelne URL. Beginnen Sie bei mehreren Spalten mit deren Namen',
  'the row has {} cells for {} columns; put texts with the delimiter in quotes':
    'die Zeile hat {} Zellen für {} Spalten. Setzen Sie Texte mit dem Trennzeichen in Anführungszeichen',
  'must be one URL on one line': 'muss eine einzige URL in einer Zeile sein',
  'the line is not a JSON object': 'die Zeile ist kein JSON-Objekt',
  'is missing': 'fehlt',
  'is empty': 'ist leer',
  'must be a text': 'muss Text sein',
  'must be a date': 'muss ein Datum sein',
  'must be a list of texts': 'muss eine Liste von Texten sein',
  'must be a list of objects': 'muss eine Liste von Objekten sein',
  'must be a JSON list of objects': 'muss eine JSON-Liste von Objekten sein',
  'must be an object of numbers': 'muss ein Objekt mit Zahlen sein',
  'must be an hour from 0 to 23': 'muss eine Stunde von 0 bis 23 sein',
  'must be a whole number, not {}': 'muss eine ganze Zahl sein, nicht {}',
  'must be true or false, not {}': 'muss wahr oder falsch sein, nicht {}',
  'is not a short URL: {}': 'ist keine Kurz-URL: {}',
  'is too long': 'ist zu lang',
  'restricts the link and cannot be imported ({}); ignore it to import the link without it':
    'schränkt den Link ein und kann nicht importiert werden ({}). Ignorieren Sie es, um den Link ohne diese Einschränkung zu importieren',
  'says that the link has a password, which the file does not contain':
    'sagt, dass der Link ein Passwort hat, das die Datei nicht enthält',
  'must be a JSON object of destinations by country':
    'muss ein JSON-Objekt mit Zielen nach Land sein',
  'must be active or disabled, not {}': 'muss active oder disabled sein, nicht {}',
  'the link has a click limit, which its other name cannot share':
    'der Link hat ein Klicklimit, das für seinen anderen Namen nicht mitzählen kann',
  'has a condition that cannot be imported: {}':
    'hat eine Bedingung, die nicht importiert werden kann: {}',
  'has a device that cannot be imported: {}': 'hat ein Gerät, das nicht importiert werden kann: {}',
  'has several conditions that cannot be imported: {}':
    'hat mehrere Bedingungen, die nicht importiert werden können: {}',
  'has a password, which Kutt does not export': 'hat ein Passwort, das Kutt nicht herausgibt',

  // Files
  'The file is empty.': 'Die Datei ist leer.',
  'The file is not text in UTF-8: it has NUL characters, as binary files and UTF-16 without a byte order mark. Save it as UTF-8 and try again.':
    'Die Datei ist kein Text in UTF-8: Sie hat NUL-Zeichen, wie Binärdateien und UTF-16 ohne Byte Order Mark. Speichern Sie sie als UTF-8 und versuchen Sie es noch einmal.',
  'The file is not text in UTF-8 (see line {}). It may be in Windows-1252: save it as UTF-8, in Excel as "CSV UTF-8", and try again.':
    'Die Datei ist kein Text in UTF-8 (siehe Zeile {}). Vielleicht ist sie in Windows-1252: Speichern Sie sie als UTF-8, in Excel als „CSV UTF-8“, und versuchen Sie es noch einmal.',
  'The file is not valid UTF-16 (line {} or after); it may be cut off. Save it as UTF-8 and try again.':
    'Die Datei ist kein gültiges UTF-16 (ab Zeile {}); vielleicht ist sie abgeschnitten. Speichern Sie sie als UTF-8 und versuchen Sie es noch einmal.',
  'No column is named {}. The columns are: {}.': 'Keine Spalte heißt {}. Die Spalten sind: {}.',
  'The first line names {} columns; is it a CSV file?':
    'Die erste Zeile nennt {} Spalten. Ist das eine CSV-Datei?',
  'The first line has a URL instead of column names. Add their names, or shorten the file as a list of destinations (npx brevis shorten).':
    'Die erste Zeile hat eine URL statt Namen von Spalten. Ergänzen Sie die Namen, oder kürzen Sie die Datei als Liste von Zielen (npx brevis shorten).',
  'Several columns are imported as {}.': 'Mehrere Spalten werden als {} importiert.',
  'No column contains the destination URL, such as "Long URL" or "Destination URL". The columns are: {}.':
    'Keine Spalte enthält die Ziel-URL, zum Beispiel „Long URL“ oder „Destination URL“. Die Spalten sind: {}.',
  'No column contains the alias or the short URL, such as "Alias" or "Short link". The columns are: {}. For random aliases, shorten the file as a list of destinations (npx brevis shorten).':
    'Keine Spalte enthält den Alias oder die Kurz-URL, zum Beispiel „Alias“ oder „Short link“. Die Spalten sind: {}. Für zufällige Aliasse kürzen Sie die Datei als Liste von Zielen (npx brevis shorten).',
  'Row {}: a quote is not closed; the file may be cut off.':
    'Zeile {}: Ein Anführungszeichen ist nicht geschlossen. Vielleicht ist die Datei abgeschnitten.',
  'Row {} is longer than {} characters; a quote before it may not be closed.':
    'Zeile {} ist länger als {} Zeichen. Vielleicht ist davor ein Anführungszeichen nicht geschlossen.',
  'Row {} is not valid CSV.': 'Zeile {} ist kein gültiges CSV.',

  // Sources
  'The address must begin with https://': 'Die Adresse muss mit https:// beginnen',
  'The import was canceled.': 'Der Import wurde abgebrochen.',
  'The source cannot be read: bad_response.': 'Die Quelle hat ungültig geantwortet.',
  'The source cannot be read: refused_url.': 'Die Adresse der Quelle ist nicht erlaubt.',
  'The source cannot be read: timeout.': 'Die Quelle hat nicht rechtzeitig geantwortet.',
  'The source cannot be read: too_large.': 'Die Antwort der Quelle ist zu groß.',
  'The source cannot be read: too_many_redirects.': 'Die Quelle leitet zu oft weiter.',
  'The source cannot be read: unreachable.':
    'Die Quelle ist unter keiner öffentlichen Adresse erreichbar.',
  'The source cannot be read: {}.': 'Die Quelle kann nicht gelesen werden: {}.',
  'The source did not respond with a JSON object.':
    'Die Quelle hat nicht mit einem JSON-Objekt geantwortet.',
  'The source has too many groups.': 'Die Quelle hat zu viele Gruppen.',
  'The source has too many links.': 'Die Quelle hat zu viele Links.',
  'The source rejects the key.': 'Die Quelle lehnt den Schlüssel ab.',
  'The source responded with invalid data.': 'Die Quelle hat mit ungültigen Daten geantwortet.',
  'The source responded with status {}.': 'Die Quelle hat mit dem Status {} geantwortet.',
  'The source responded with status {}. Run the import again later to resume it.':
    'Die Quelle hat mit dem Status {} geantwortet. Starten Sie den Import später erneut, um ihn fortzusetzen.',
  'The source responded: {}': 'Die Quelle hat geantwortet: {}',
  'The source returned more links than requested.':
    'Die Quelle hat mehr Links gesendet als angefordert.',
  'The source takes too long for one page of links.':
    'Die Quelle braucht zu lange für eine Seite mit Links.',
  'Something went wrong.': 'Es ist etwas schiefgelaufen.',
}
