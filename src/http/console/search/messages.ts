/** Texts of the search for links and sections. */
export const searchMessages = {
  title: 'Search',
  label: 'Search links and pages',
  placeholder: 'Alias, destination, title or tag',
  submit: 'Search',
  links: 'Links',
  sections: 'Pages',
  createLink: 'Create link',
  allLinks: 'All matching links',
  empty: 'No results',
  emptyText: 'Try another word.',
} as const
