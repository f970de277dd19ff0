import type { ProviderEntry } from '@mortise/providers'
import { allGuides } from '../guides/guides.ts'
import type { Site } from '../pages/site.ts'
import type { SearchEntry } from './search-index.ts'

/** Lists everything that search can find: guides, endpoints, webhooks, schemas, problems and providers. */
export function searchEntries(
  { view, chapters, problemList }: Pick<Site, 'view' | 'chapters' | 'problemList'>,
  providers: readonly ProviderEntry[],
): SearchEntry[] {
  return [
    ...[...allGuides().values()].flatMap(({ name, title, sections }) =>
      sections.map(({ anchor, heading, text }) => ({
        href: `/docs/guides/${name}${anchor && `#${anchor}`}`,
        title: heading,
        kind: anchor === '' ? 'Guide' : `Guide · ${title}`,
        text: text.trim(),
        keywords: '',
      })),
    ),
    ...chapters.flatMap(({ name, slug, entries }) =>
      entries.map(({ id, method, path, operation }) => ({
        href: `/docs/${slug}#${id}`,
        title: id,
        kind: path === '' ? 'Webhook' : 'Endpoint',
        text: words(`${operation.summary} ${operation.description ?? ''}`),
        keywords: `${method} ${path} ${name}`,
      })),
    ),
    ...Object.entries(view.components.schemas).map(([name, { description = '', properties = {} }]) => ({
      href: `/docs/resources#${name}`,
      title: name,
      kind: 'Schema',
      text: words(description),
      keywords: Object.keys(properties).join(' '),
    })),
    ...problemList.map(({ code, title, detail, remedy = '', status }) => ({
      href: `/problems/${code}`,
      title,
      kind: `Problem · ${code}`,
      text: words(`${detail} ${remedy}`),
      keywords: `${code} ${status}`,
    })),
    ...providers.map(({ name, displayName, objects = [] }) => ({
      href: `/docs/providers/${name}`,
      title: displayName,
      kind: 'Provider',
      text: `What you can do with ${displayName}, and how to connect an account.`,
      keywords: `${name} ${objects.join(' ')}`,
    })),
  ]
}

/** Removes the marks of code from a declared text. */
function words(text: string): string {
  return text.replaceAll('`', '').trim()
}
