// Offers the account's tags for each tag of a list with commas: browsers take an offer in place of all
// that is in a field, so that every offer begins with the tags before it.

const field = document.getElementById('tags')
const offers = [...(document.getElementById('known-tags')?.children ?? [])]
const names = offers.map((offer) => offer.getAttribute('value') ?? '')

if (field instanceof HTMLInputElement) {
  field.addEventListener('input', () => {
    const before = field.value.slice(0, field.value.lastIndexOf(',') + 1)
    for (const [index, offer] of offers.entries()) {
      offer.setAttribute(
        'value',
        before === '' ? String(names[index]) : `${before} ${names[index]}`,
      )
    }
  })
}
