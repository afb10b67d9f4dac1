// Loaded by every page. Sets every text as text, never as markup.
import './blocks.js'
import './live.js'

// Keys: arrows between pages, "/" to the search.
document.addEventListener('keydown', (event) => {
  if (event.target instanceof HTMLElement && event.target.matches('input, select, textarea')) return
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === '/') {
    const search = document.querySelector('input[type=search]')
    if (search instanceof HTMLElement) {
      event.preventDefault()
      search.focus()
    }
  }
  const rel = { ArrowLeft: 'prev', ArrowRight: 'next' }[event.key]
  if (rel !== undefined) document.querySelector(`a[rel=${rel}]`)?.click()
})
