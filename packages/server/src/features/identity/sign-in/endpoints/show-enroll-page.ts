import { Type } from 'typebox'
import { showEnrollPage as show } from '../factors/enroll.ts'
import { localPath } from '../next-path.ts'
import { enrollPath, shownPage } from '../page-endpoint.ts'

export const showEnrollPage = shownPage({
  id: 'showEnrollPage',
  path: '//signin/enroll',
  beforeSecondFactor: true,
  summary: 'The page where people set up a second factor.',
  query: {
    next: Type.Optional(Type.String({ description: 'Path on this service to continue at. Anything else is ignored.' })),
  },
  run: async (context, services) => {
    const next = localPath(context.query['next'])
    const { owner } = context
    if (!owner) return { to: `/signin?${new URLSearchParams({ next: enrollPath(next) })}` }
    return await show(services, context, owner, { next })
  },
})
