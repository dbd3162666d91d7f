/** The statistics of a link without clicks, as returned by the API. */
export const NO_CLICKS = {
  clicks: 0,
  uniqueClicks: 0,
  topCountries: 0,
  topReferrers: 0,
  topBrowsers: 0,
  topOs: 0,
  socialCount: { facebook: 0, twitter: 0, instagram: 0 },
}
