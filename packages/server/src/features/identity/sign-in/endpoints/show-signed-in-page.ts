import { shownPage } from '../page-endpoint.ts'
import { donePage } from '../pages/done-page.ts'

export const showSignedInPage = shownPage({
  id: 'showSignedInPage',
  path: '//signin/done',
  summary: 'The page that shows who is signed in.',
  run: async ({ owner, formToken }) => (owner ? donePage({ email: owner.email, formToken }) : { to: '/signin' }),
})
