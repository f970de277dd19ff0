import type { Catalogue } from '@mortise/providers'
import { layout } from '../pages/layout.ts'
import type { Site } from '../pages/site.ts'
import { providerListPage } from './provider-list-page.ts'
import { providerPage, providerPageSections } from './provider-page.ts'

const rendered = new WeakMap<object, WeakMap<Site, Map<string, string>>>()

/**
 * Returns the page of a provider, or the list of all providers for the name `''`; undefined where there is none. Pages
 * are kept until a provider file changes.
 */
export function providerPageOf(site: Site, catalogue: Catalogue, name: string): string | undefined {
  const sites = rendered.get(catalogue.version) ?? new WeakMap<Site, Map<string, string>>()
  rendered.set(catalogue.version, sites)
  const pages = sites.get(site) ?? new Map<string, string>()
  sites.set(site, pages)
  const page = pages.get(name) ?? render(site, catalogue, name)
  if (page !== undefined) pages.set(name, page)
  return page
}

function render({ chapters, origin, operationHref }: Site, catalogue: Catalogue, name: string): string | undefined {
  const navigation = { chapters, slug: 'providers' }
  if (name === '') {
    const content = providerListPage(catalogue.list(), operationHref('listProviders'))
    return layout('Providers', content, { ...navigation, anchors: [] })
  }
  const entry = catalogue.find(name)
  if (entry === undefined) return undefined
  const content = providerPage(entry, { origin, operationHref })
  return layout(entry.displayName, content, { ...navigation, anchors: providerPageSections(content.text) })
}
