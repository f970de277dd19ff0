/** Members of the list that Mailman starts with, more than two pages. */
export const seededMembers = Array.from({ length: 230 }, (_, index) => `member${1000 + index}@example.test`)

/** The list that they belong to. */
export const listId = 'news.lists.example.test'

/** A list whose moderators confirm each subscription. */
export const moderatedListId = 'closed.lists.example.test'

/** Python: a domain, the two lists and the members. */
export const seed = `
from zope.component import getUtility
from mailman.interfaces.domain import IDomainManager
from mailman.app.lifecycle import create_list
from mailman.interfaces.mailinglist import SubscriptionPolicy
from mailman.interfaces.usermanager import IUserManager
getUtility(IDomainManager).add('lists.example.test')
news = create_list('news@lists.example.test')
closed = create_list('closed@lists.example.test')
closed.subscription_policy = SubscriptionPolicy.moderate
users = getUtility(IUserManager)
for number in range(1000, ${1000 + seededMembers.length}):
    news.subscribe(users.create_address('member%d@example.test' % number, 'Member %d' % number))
`
