import { generateUploadUrl } from './endpoints/generate-upload-url.ts'
import { putUpload } from './endpoints/put-upload.ts'

export { uploadBytesMax, uploadIdOf } from './model.ts'
export { deleteExpiredUploads, deleteUpload, findUploadBody } from './store.ts'

export const uploadsEndpoints = [generateUploadUrl, putUpload]
