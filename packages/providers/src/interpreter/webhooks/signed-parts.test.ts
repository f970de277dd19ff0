import { createPublicKey } from 'node:crypto'
import { expect, it } from 'vitest'
import { signingCertificates } from '../../testing/signing-certificates.testkit.ts'
import { signedBySns, signedLines } from '../../webhook-cases/mail.testkit.ts'
import { entryFor, now } from '../../webhook-cases/webhook-case.testkit.ts'
import { confirmationUrl } from './handshakes.ts'
import { certificateUrl, isCertified } from './signing-certificate.ts'
import { verifyingKeys, verifyRequest } from './verify-request.ts'

/** Messages of Amazon SNS, and what somebody who publishes to a topic of their own could make of them. */

const { webhooks } = (await entryFor('amazonSes')).file ?? {}
if (!webhooks || !isCertified(webhooks.verify)) throw new Error('no webhooks')
const { verify } = webhooks
const key = createPublicKey(signingCertificates.leaf).export({ type: 'spki', format: 'pem' }).toString()
const keys = verifyingKeys(verify, key)
const topicArn = 'arn:aws:sns:us-west-2:123456789012:MyTopic'
const seconds = now / 1_000

const unsigned = {
  Type: 'Notification',
  MessageId: '22b80b92',
  TopicArn: topicArn,
  Subject: 'My First Message',
  Message: '{"eventType":"Send"}\n',
  SignatureVersion: '2',
  SigningCertURL: 'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-f3ecfb72.pem',
}
const requestOf = (message: object) => ({
  method: 'POST',
  url: 'https://m.test/in',
  headers: { 'content-type': 'text/plain; charset=UTF-8' },
  body: Buffer.from(JSON.stringify(message)),
})
const verdict = (message: object, topic: string | undefined = topicArn) =>
  verifyRequest(verify, requestOf(message), keys, now, new Map(topic === '' ? [] : [['topicArn', [topic]]]))

it('a message is signed over the values that it has, by SHA-1 or SHA-256 as it says', async () => {
  for (const SignatureVersion of ['1', '2']) {
    const signed = signedBySns({ ...unsigned, SignatureVersion }, { seconds })
    expect(await verdict(signed)).toBe('genuine')
    const { Subject: _, ...untitled } = unsigned
    expect(await verdict(signedBySns({ ...untitled, SignatureVersion }, { seconds }))).toBe('genuine')
    for (const changed of [
      { SignatureVersion: SignatureVersion === '1' ? '2' : '1' },
      { Message: '{"eventType":"Bounce"}\n' },
      { MessageId: 'another' },
      { Subject: undefined },
      { SubscribeURL: 'https://sns.us-west-2.amazonaws.com/' },
      { Type: 'SubscriptionConfirmation' },
      { Signature: undefined },
      { Signature: 'AAAA' },
      { Timestamp: undefined },
    ])
      expect([changed, await verdict({ ...signed, ...changed })]).toEqual([changed, 'forged'])
  }
})

it('a message of another topic is refused, though Amazon signed it', async () => {
  const other = 'arn:aws:sns:us-west-2:999999999999:Theirs'
  const theirs = signedBySns({ ...unsigned, TopicArn: other }, { seconds })
  expect(await verdict(theirs)).toBe('forged')
  expect(await verdict(theirs, other)).toBe('genuine')
  // A connection without a topic accepts none.
  expect(await verdict(theirs, '')).toBe('forged')
})

it('a message cannot be split into other values', async () => {
  // Somebody publishes the lines of another message to a topic of their own, and Amazon signs them.
  const Timestamp = new Date(now).toISOString()
  const theirTopic = 'arn:aws:sns:us-west-2:999999999999:Theirs'
  const { Subject: _, ...own } = unsigned
  const forged = { ...own, MessageId: 'forged', Message: '{"eventType":"Bounce"}', Timestamp }
  const lines = signedLines(forged).slice('Message\n'.length, -1)
  const theirs = signedBySns({ ...own, TopicArn: theirTopic, Message: lines }, { seconds })
  const rest = signedLines({ ...theirs, Message: 'x' }).slice('Message\nx\n'.length, -1)
  const split = { ...forged, Type: `Notification\n${rest}`, Signature: theirs.Signature }
  expect(signedLines(split)).toBe(signedLines(theirs))
  expect(await verdict(split)).toBe('forged')
})

it('an old message is stale', async () => {
  expect(await verdict(signedBySns(unsigned, { seconds: seconds - 3_599 }))).toBe('genuine')
  expect(await verdict(signedBySns(unsigned, { seconds: seconds - 3_601 }))).toBe('stale')
})

const foreign = [
  'http://sns.us-west-2.amazonaws.com/SimpleNotificationService.pem',
  'https://sns.us-west-2.amazonaws.com.evil.test/SimpleNotificationService.pem',
  'https://sns.amazonaws.com/SimpleNotificationService.pem',
  'https://sns.a.b.amazonaws.com/SimpleNotificationService.pem',
  'https://evil.s3.amazonaws.com/SimpleNotificationService.pem',
  'https://sns.us-west-2.amazonaws.com@evil.test/SimpleNotificationService.pem',
  'https://user:password@sns.us-west-2.amazonaws.com/SimpleNotificationService.pem',
  'https://169.254.169.254/SimpleNotificationService.pem',
  'file:///etc/passwd',
  'SimpleNotificationService.pem',
  7,
  null,
  { url: 'https://sns.us-west-2.amazonaws.com/a.pem' },
]

it('only certificates of Amazon SNS are fetched, and no response of its API', () => {
  const urlFor = (SigningCertURL: unknown) =>
    certificateUrl(verify, requestOf({ ...unsigned, SigningCertURL, Signature: 'AAAA' }))
  expect(urlFor(unsigned.SigningCertURL)).toBe(unsigned.SigningCertURL)
  for (const url of foreign) expect([url, urlFor(url)]).toEqual([url, undefined])
  // Whoever has an account can have the API return a text of theirs.
  for (const end of ['?Action=GetTopicAttributes&x=.pem', '.pem?Action=GetTopicAttributes', '', '.txt'])
    expect(urlFor(`https://sns.us-west-2.amazonaws.com/SimpleNotificationService${end}`)).toBeUndefined()
  expect(certificateUrl(verify, requestOf(unsigned))).toBeUndefined()
})

it('only URLs of Amazon SNS confirm a subscription', () => {
  const urlFor = (SubscribeURL: unknown, Type = 'SubscriptionConfirmation') =>
    confirmationUrl(webhooks, { ...unsigned, Type, SubscribeURL })
  const url = 'https://sns.us-west-2.amazonaws.com/?Action=ConfirmSubscription&Token=2336412f'
  expect(`${urlFor(url)}`).toBe(url)
  for (const one of [...foreign, undefined]) expect([one, urlFor(one)]).toEqual([one, 'refused'])
  for (const type of ['Notification', 'UnsubscribeConfirmation']) expect(urlFor(url, type)).toBeUndefined()
})
