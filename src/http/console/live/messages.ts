export const liveMessages = {
  visitors: 'Visitors in the last 5 minutes:',
  unknown: '–',
  live: '● Live',
  paused: '○ Live updates are paused. Next attempt in a minute.',
}
