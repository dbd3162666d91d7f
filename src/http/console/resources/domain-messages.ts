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
} as const
