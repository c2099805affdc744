#pragma once
#include "mbc/settings.h"
namespace mbc::settings {
constexpr auto kAutomaticBodies = static_cast<mbc::Representation>(4);
}
