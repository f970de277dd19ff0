import { problem } from '../../kernel/http/index.ts'

export const UploadUrlInvalid = problem({
  code: 'upload-url-invalid',
  status: 403,
  title: 'The upload URL is not valid',
  detail: 'The signature of the upload URL is wrong, or the URL has expired.',
  remedy: 'Ask GET /generate-upload-url for a new URL and upload to it unchanged within 15 minutes.',
  retryable: false,
  subsystem: 'uploads',
})

export const TooManyUploads = problem({
  code: 'too-many-uploads',
  status: 429,
  title: 'Too many uploads are open',
  detail: 'The project has 100 uploads that were neither deployed nor have expired.',
  remedy: 'Deploy the uploads, or wait until they expire: 15 minutes after their URL was made.',
  retryable: true,
  subsystem: 'uploads',
})

export const UploadGone = problem({
  code: 'upload-gone',
  status: 404,
  title: 'The upload is gone',
  detail: 'The upload has been deployed already, or it has expired.',
  remedy: 'Ask GET /generate-upload-url for a new URL.',
  retryable: false,
  subsystem: 'uploads',
})
