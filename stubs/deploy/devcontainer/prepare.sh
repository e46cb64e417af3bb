# Makes a fresh container ready: secrets of its own where there are none (.env is not in version control), packages, tables, roles.
# Then: npx portal admin:create, npm run dev
set -eu
cd "$(dirname "$0")/.."
if [ ! -e .env ]; then
  umask 077
  {
    echo 'APP_ENV=development'
    echo "APP_KEY=base64:$(openssl rand -base64 32)"
    echo "PORTAL_API_JWT_SECRET=$(openssl rand -base64 48)"
  } >.env
  umask 022
fi
npm install
npx portal migrate
npx portal rbac:seed
