import { MortiseProblem } from '@mortise/client'
import { z } from 'zod'
import { NotFound } from '../../service/not-found.ts'
import { cursor } from '../inputs.ts'
import { textResult } from '../results.ts'
import { tool } from '../tool.ts'

export const readDocs = tool({
  name: 'read_docs',
  title: 'Read the documentation',
  description:
    'Shows a page of the documentation of the service, as Markdown. Without a page, the list of all pages with a line each.',
  effect: 'read',
  isGlobal: true,
  input: z.strictObject({
    page: z
      .string()
      .regex(/^[\w.-]{1,100}(?:\/[\w.-]{1,100})?$/)
      .optional()
      .describe('name of the page, such as manifest or destinations/kafka'),
    cursor,
  }),
  run: async ({ page, cursor: from }, { connectAnonymously, signal }) => {
    const mortise = await connectAnonymously()
    if (page === undefined) return textResult(await mortise.getLlmsText({}, { signal }), from)
    const [first = '', second] = page.replace(/\.md$/, '').split('/')
    try {
      const text =
        second === undefined
          ? await mortise.getDocument({ page: first }, { signal })
          : await mortise.getDocumentOfFolder({ folder: first, page: second }, { signal })
      return textResult(text, from)
    } catch (error) {
      if (!(error instanceof MortiseProblem) || error.status !== 404) throw error
      throw new NotFound(`There is no page ${page}. Call read_docs without a page for the list.`)
    }
  },
})
