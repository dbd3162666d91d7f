/** Texts of branded domains. */
export const domainMessages = {
  appLinks: {
    assetLinks: {
      label: 'Android app links',
      hint: 'The JSON of /.well-known/assetlinks.json, up to 64 KiB.',
    },
    appSiteAssociation: {
      label: 'Apple app links',
      hint: 'The JSON of /.well-known/apple-app-site-association, up to 64 KiB.',
    },
  },
  appLinksTitle: 'App links',
  noAppLink: 'Not set',
  brand: {
    title: 'Brand',
    lead: 'The look of the pages that visitors of this domain see.',
    logo: 'Logo',
    logoHint: 'PNG or JPEG, up to 1 MB. Shown at the top of each page.',
    currentLogo: 'Current logo',
    removeLogo: 'Remove logo',
    hasAccent: 'Use my own accent color',
    accent: 'Accent color',
    footer: 'Show “Brevis” in the footer',
    footerHint: 'Pages with a logo never show it.',
    save: 'Save brand',
  },
} as const
