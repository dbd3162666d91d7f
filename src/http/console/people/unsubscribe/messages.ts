export const unsubscribeMessages = {
  title: 'Email reports',
  question: 'Stop these reports?',
  hint: 'You can turn them on again in your settings.',
  unsubscribe: 'Unsubscribe',
  done: 'You’re unsubscribed',
  doneHint: 'You won’t get this report anymore.',
}
