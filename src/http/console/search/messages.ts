import { consoleMessages } from '../../localization/console-messages.ts'

/** Messages for the search for links and sections. */
export const searchMessages = consoleMessages({
  en: {
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
  },
  de: {
    title: 'Suche',
    label: 'Links und Seiten suchen',
    placeholder: 'Alias, Ziel, Titel oder Tag',
    submit: 'Suchen',
    links: 'Links',
    sections: 'Seiten',
    createLink: 'Link erstellen',
    allLinks: 'Alle passenden Links',
    empty: 'Keine Treffer',
    emptyText: 'Versuchen Sie es mit einem anderen Wort.',
  },
})
