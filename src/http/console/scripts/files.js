// Rejects files that are larger than `data-max-bytes` of their field before they are sent.

document.addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.type !== 'file') return
  const { maxBytes, textTooLarge = '' } = target.dataset
  const size = target.files?.[0]?.size ?? 0
  target.setCustomValidity(size > Number(maxBytes ?? Infinity) ? textTooLarge : '')
  target.reportValidity()
})
