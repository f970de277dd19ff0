import type { ProblemDeclaration } from '../../../../kernel/http/index.ts'
import { allGuides } from '../guides/guides.ts'
import { guidePage, guidesPage } from '../guides/guides-page.ts'
import { type Chapter, chaptersOf, type OpenApiView } from '../openapi-view.ts'
import { resources } from '../resources.ts'
import { chapterPage } from './chapter-page.ts'
import { indexPage } from './index-page.ts'
import { layout } from './layout.ts'
import { problemPage } from './problem-page.ts'
import { problemsPage } from './problems-page.ts'
import { resourceNames, resourcesPage } from './resources-page.ts'

/** All pages, each rendered on the first request and then cached. */
export interface Site {
  /** The pages of the API docs by name; the first one has an empty name. */
  pages: ReadonlyMap<string, () => string>
  /** The pages of problems by code. */
  problems: ReadonlyMap<string, () => string>
  /** The pages of guides by name. */
  guides: ReadonlyMap<string, () => string>
  chapters: Chapter[]
  view: OpenApiView
  problemList: readonly ProblemDeclaration[]
  /** The public URL of the service. */
  origin: string
  /** Returns the address of an operation. */
  operationHref(id: string): string
}

const sites = new WeakMap<object, Site>()

/** Builds the pages of a document. */
export function siteOf(document: Record<string, unknown>, problems: ReadonlyMap<string, ProblemDeclaration>): Site {
  const known = sites.get(document)
  if (known) return known
  // Through JSON, as the document is served, which removes undefined members.
  const view = JSON.parse(JSON.stringify(document)) as OpenApiView
  const chapters = chaptersOf(view)
  const names = resourceNames(view, resources)
  const page = (title: string, slug: string, anchors: string[], content: () => Parameters<typeof layout>[1]) =>
    [slug, kept(() => layout(title, content(), { chapters, slug, anchors }))] as const
  const pages = new Map([
    page('All endpoints', '', [], () => indexPage(chapters, names)),
    ...chapters.map((chapter) =>
      page(
        chapter.name,
        chapter.slug,
        chapter.entries.map(({ id }) => id),
        () => chapterPage(view, chapter),
      ),
    ),
    page('Guides', 'guides', [], () => guidesPage(allGuides().values())),
    page('Resources and schemas', 'resources', [], () => resourcesPage(view, resources)),
    page('Problems', 'problems', [], () => problemsPage(problems.values())),
  ])
  const site: Site = {
    pages,
    chapters,
    view,
    problemList: [...problems.values()],
    origin: view.servers[0]?.url ?? '',
    operationHref: (id) => {
      const chapter = chapters.find(({ entries }) => entries.some((entry) => entry.id === id))
      return chapter === undefined ? '/docs' : `/docs/${chapter.slug}#${id}`
    },
    guides: new Map(
      [...allGuides().values()].map((guide) => [
        guide.name,
        kept(() => layout(guide.title, guidePage(guide), { chapters, slug: 'guides', anchors: [] })),
      ]),
    ),
    problems: new Map(
      [...problems]
        .map(([code, problem]) =>
          page(problem.title, `problems/${code}`, [], () => problemPage(view, chapters, problem)),
        )
        .map(([slug, make]) => [slug.slice('problems/'.length), make]),
    ),
  }
  sites.set(document, site)
  return site
}

function kept(make: () => string): () => string {
  let text: string | undefined
  return () => {
    text ??= make()
    return text
  }
}
