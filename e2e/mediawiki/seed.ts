/** Pages that the wiki starts with, besides its main page: more than one request lists. */
export const seededTitles = Array.from({ length: 510 }, (_, index) => `Page ${1000 + index}`)

/** A page in another namespace. */
export const talkTitle = 'Talk:Page 1000'

/** An export of these pages, as `importDump.php` reads it. All carry the same second. */
export const seed = `<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
${[...seededTitles, talkTitle].map((title) => page(title)).join('\n')}
</mediawiki>`

function page(title: string): string {
  const namespace = title.startsWith('Talk:') ? 1 : 0
  return `<page><title>${title}</title><ns>${namespace}</ns><revision><timestamp>2026-01-01T00:00:00Z</timestamp>
<contributor><username>Ada</username></contributor><model>wikitext</model><format>text/x-wiki</format>
<text xml:space="preserve">Text of ${title} &amp; more</text></revision></page>`
}
