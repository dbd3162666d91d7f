/**
 * Maps problems that mention another field by its API name to texts for the console, which use the
 * label of that field.
 */
export const consoleProblems: Readonly<Record<string, string>> = {
  'must not be after to': 'must not be after the end',
  'must differ from from': 'must differ from the start',
  'must have days, from, or until': 'must have days, a start or an end',
  'must be within the last {} days if interval is hour':
    'must be within the last {} days for an hourly interval',
  'must be darker than background': 'must be darker than the background',
  'must be lighter than foreground': 'must be lighter than the foreground',
  'has too little contrast to background for the code to be scanned':
    'has too little contrast to the background for the code to be scanned',
  'has too little contrast to foreground for the code to be scanned':
    'has too little contrast to the foreground for the code to be scanned',
}
