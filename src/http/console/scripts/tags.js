// Shows the tags of a list with commas as chips, each with a button that removes it. The field
// contains only the tag being typed; the form sends all tags.

const box = document.querySelector('[data-chips]')
const field = box?.querySelector('input')
const offers = document.getElementById('known-tags')

if (box instanceof HTMLElement && field) {
  const known = [...(offers?.children ?? [])].map((offer) => offer.getAttribute('value') ?? '')
  const list = document.createElement('ul')
  list.className = 'chips'
  field.before(list)
  /** @type {string[]} */
  let tags = []

  /** Adds the typed tags, or those followed by a comma. */
  const commit = (/** @type {boolean} */ isWhole) => {
    const parts = field.value.split(',')
    const rest = isWhole ? '' : (parts.pop() ?? '')
    const names = parts.map((part) => part.trim()).filter(Boolean)
    if (names.length === 0 && field.value === rest) return
    for (const name of names) if (!has(name)) tags.push(name)
    field.value = rest.trimStart()
    draw()
  }
  const has = (/** @type {string} */ name) =>
    tags.some((tag) => tag.toLowerCase() === name.toLowerCase())
  const changed = () => field.dispatchEvent(new Event('change', { bubbles: true }))

  const draw = () => {
    list.replaceChildren(...tags.map(chip))
    list.hidden = tags.length === 0
    const left = known.filter((name) => !has(name))
    offers?.replaceChildren(...left.map((name) => new Option(name, name)))
  }

  /** @param {string} name */
  const chip = (name) => {
    const item = document.createElement('li')
    const button = document.createElement('button')
    const text = document.createElement('span')
    text.dir = 'auto'
    text.textContent = name
    button.type = 'button'
    button.textContent = '×'
    button.setAttribute('aria-label', String(box.dataset.remove).replace('{name}', name))
    button.addEventListener('click', () => {
      tags = tags.filter((tag) => tag !== name)
      draw()
      changed()
      field.focus()
    })
    item.append(text, button)
    return item
  }

  field.addEventListener('input', () => commit(known.includes(field.value)))
  field.addEventListener('blur', () => commit(true))
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && field.value.trim() !== '') {
      event.preventDefault()
      commit(true)
    } else if (event.key === 'Backspace' && field.value === '' && tags.length > 0) {
      tags.pop()
      draw()
      changed()
    }
  })
  field.form?.addEventListener('formdata', ({ formData }) => {
    formData.set('tags', [...tags, field.value].join(', '))
  })
  commit(true)
}
