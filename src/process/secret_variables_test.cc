#include "process/secret_variables.h"

#include <gtest/gtest.h>

namespace helve::process {
namespace {

struct VariableRow {
  const char* name;
  const char* value;
};

TEST(SecretVariables, NoRandomValueWithANameThatTellsOfASecretReachesCommands) {
  for (const VariableRow& row : {
           VariableRow{"GH_TOKEN", "x"},
           {"MY_KEY", "x"},
           {"APP_SECRET", "x"},
           {"DBPASSWORD", "hunter2"},
           {"PASSWORD_DB", "hunter2"},
           {"DB_PASSWORD_2", "hunter2"},
           {"DB_PASSWD1", "correct horse"},
           {"VAULT_PASSPHRASE_OLD", "open sesame"},
           {"TOKEN_GITHUB", "q7Xv2LpR9sT4mN8wZ1cY"},
           {"API_TOKEN_PROD", "5f2c9a7be41d8063af19"},
           {"TOKEN1", "q7Xv2LpR9sT4mN8wZ1cY"},
           {"KEY_ENC", "hQ9z+Kx7/Tn2vB4mWc8LpR1sYd6gJ3fA=="},
           {"API_KEY_B64", "c2VjcmV0LXZhbHVlLTEyMzQ1"},
           {"GITHUB_PAT", "a1B2c3D4e5F6g7H8i9J0"},
           {"STRIPE_KEY_LIVE", "51H8sKLJf83nfKJ38fhKJ2h"},
           {"DB_PW", "zX9!kk2Lq8Rt5Vb1Nm"},
           {"AUTH_HEADER", "Basic dXNlcjpodW50ZXIyMTIz"},
           {"SESSION_COOKIE_VALUE", "s%3AQ8fK2mZp7Rt4Xv9LbN3c.w"},
           {"CI_JOB_JWT_V2", "zz9fK2mZp7Rt4Xv9LbN3c"},
           {"SIGNING_BLOB", "9f86d081884c7d659a2feaa0c55ad015"},
           {"SLACK_WEBHOOK", "https://hooks.example.org/services/T1B2C3D4E/x9Fk2LmZp7Rt4Xv9LbN3cQqw"},
           {"token_of_mine", "q7Xv2LpR9sT4mN8wZ1cY"},
           {"PASSWORD_SALT", "pepper"},
           {"HARMLESS", "ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
       })
    EXPECT_TRUE(is_secret_variable(row.name, row.value)) << row.name << "=" << row.value;
}

TEST(SecretVariables, HashesPathsAndIdentifiersReachCommands) {
  for (const VariableRow& row : {
           VariableRow{"GIT_COMMIT", "9fceb02d0ae598e95dc970b74767f19372d61af8"},
           {"GITHUB_SHA", "9fceb02d0ae598e95dc970b74767f19372d61af8"},
           {"CI_COMMIT_SHA", "9fceb02d0ae598e95dc970b74767f19372d61af8"},
           {"PYTHON_SHA256", "4c68050f049d1b4ac5aadd0df5f27941c0350d2a9e7ab0907ee5eb5225d9d6b0"},
           {"BUILD_ID", "20261119.4"},
           {"TERM_SESSION_ID", "8F2B7C1D-9A3E-4B5C-8D6E-1F2A3B4C5D6E"},
           {"KEY_ID", "123e4567-e89b-12d3-a456-426614174000"},
           {"TOKEN_FILE", "/run/secrets/q7Xv2LpR9sT4mN8wZ1cY"},
           {"SSH_KEY_PATH", "~/.ssh/id_ed25519"},
           {"PASSWORD_STORE_DIR", "/home/me/.password-store"},
           {"PASSWORD_MIN_LENGTH", "12"},
           {"PASSWORD_PROMPT", "false"},
           {"KEYBOARD_LAYOUT", "us"},
           {"KEY_TYPE", "ed25519"},
           {"CACHE_KEY_PREFIX", "linux-node-18-build-4"},
           {"AUTH_PROVIDER", "GoogleOauthProvider"},
           {"AUTH_URL", "https://login.example.org/oauth2/authorize"},
           {"TOKEN_LIFETIME", "86400000000000"},
           {"MAX_TOKENS", "200000"},
           {"COOKIE_DOMAIN", "example.org"},
           {"MONKEY", "q7Xv2LpR9sT4mN8wZ1cY"},
           {"PATH", "/usr/bin:/bin"},
           {"PWD", "/home/me/q7Xv2LpR9sT4mN8wZ1cY"},
           {"LS_COLORS", "01;31:*.tar=01;31"},
           {"AWS_REGION", "eu-central-1"},
       })
    EXPECT_FALSE(is_secret_variable(row.name, row.value)) << row.name << "=" << row.value;
}

}  // namespace
}  // namespace helve::process
